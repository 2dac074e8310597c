import { isRecord, parseJson, parseUniqueJson } from '../core/index.ts';
import type { Access } from '../ledger/index.ts';
import { answerSchema, readInterrupt } from '../ledger/index.ts';
import type { ResumeEntry, RunAgentInput } from '../protocol/index.ts';

/**
 * Reads answers in the command form that are the text of a JSON value: clients of this form send the value or its
 * text. The text itself stays the answer where the interrupt accepts a text. Throws `INPUT_INVALID` for JSON with a
 * repeated member.
 */
export async function fitCommandAnswers(
  access: Access<'read'>,
  input: RunAgentInput,
): Promise<RunAgentInput> {
  const { resume = [] } = input;
  if (!resume.some(({ payload }) => typeof payload === 'string')) return input;
  return { ...input, resume: await Promise.all(resume.map((entry) => fitAnswer(access, entry))) };
}

async function fitAnswer(access: Access<'read'>, entry: ResumeEntry): Promise<ResumeEntry> {
  const { interruptId, payload } = entry;
  if (typeof payload !== 'string') return entry;
  const parsed = parsedText(payload);
  const record = parsed === undefined ? undefined : await readInterrupt(access, interruptId);
  if (parsed === undefined || record === undefined) return entry;
  const schema = await answerSchema(record);
  const acceptsText =
    schema === undefined
      ? !isRecord(parsed.value) && !Array.isArray(parsed.value)
      : schema.validate(payload).length === 0;
  // Two readers of a repeated member may read two answers.
  return acceptsText ? entry : { ...entry, payload: parseUniqueJson(payload) };
}

/** The value of a JSON text, boxed, because null is a value; undefined for other text. */
function parsedText(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: parseJson(text) };
  } catch {
    return undefined;
  }
}
