import type { JsonValue } from '../core/index.ts';
import { isRecord } from '../core/index.ts';
import type { Interrupt } from '../protocol/index.ts';

/** A turn that waits for a question, once that is asked again as another: wherever it waits for it, it waits for that. */
export function renameQuestion(turn: JsonValue, from: string, asked: Interrupt): JsonValue {
  const rename = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(rename);
    if (!isRecord(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [
        name,
        name === 'interrupt' && isRecord(member) && member['id'] === from
          ? again(member, asked)
          : rename(member),
      ]),
    );
  };
  // JSON stays JSON.
  return rename(turn) as JsonValue;
}

/** The same question to whoever asks it; only what asking again changes is new. */
function again(old: Readonly<Record<string, unknown>>, { id, expiresAt, metadata }: Interrupt): object {
  const { expiresAt: _old, ...rest } = old;
  return {
    ...rest,
    id,
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...(metadata === undefined ? {} : { metadata }),
  };
}
