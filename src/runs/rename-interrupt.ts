import type { JsonValue } from '../core/index.ts';
import { isRecord } from '../core/index.ts';
import type { Interrupt } from '../protocol/index.ts';
import { isForeignTurn, readForeignTurn, writeForeignTurn } from './foreign-turn.ts';

/** The turn of a thread after its interrupt `from` is asked again as `asked`: it waits for the new id. */
export function renameInterrupt(turn: JsonValue, from: string, asked: Interrupt): JsonValue {
  if (isForeignTurn(turn)) {
    const read = readForeignTurn(turn);
    return writeForeignTurn({ ...read, names: { ...read.names, [asked.id]: read.names[from] ?? from } });
  }
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

/** The same interrupt with the id, expiry and metadata of the new one. */
function again(old: Readonly<Record<string, unknown>>, { id, expiresAt, metadata }: Interrupt): object {
  const { expiresAt: _old, ...rest } = old;
  return {
    ...rest,
    id,
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...(metadata === undefined ? {} : { metadata }),
  };
}
