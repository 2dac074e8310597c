import { answerEffect, isApproved } from '../../content/interrupts/index.ts';
import { invalidAnswer, isRecord, ownMember } from '../../core/index.ts';
import type { SchemaLike } from '../../core/schema/index.ts';
import { validateWithSchema } from '../../core/schema/index.ts';
import type { PendingQuestion, WaitingCall } from '../calls/call-state.ts';
import { outputSchema } from '../tools/output-schema.ts';
import type { RunSecrets } from '../calls/run-secrets.ts';
import type { Reply } from '../tools/tool-replies.ts';
import type { Tool } from '../tools/tool.ts';

export interface ReplyToCheck {
  readonly tool: Tool;
  readonly state: WaitingCall;
  readonly question: PendingQuestion;
  readonly reply: Reply;
  readonly secrets: RunSecrets | undefined;
}

/**
 * Checks an answer by the tool's own schemas, whose rules may say more than their JSON Schema, and gives it as they
 * give it. Throws `ANSWER_INVALID` before anything is done.
 */
export async function checkReply(toCheck: ReplyToCheck): Promise<Reply> {
  const { tool, state, question, reply, secrets } = toCheck;
  // What a body handed on is checked by whom it was handed to.
  if (reply.status === 'cancelled' || question.askKey !== undefined) return reply;
  const payload = secrets === undefined ? reply.payload : secrets.open(reply.payload);
  const editedArgs = isRecord(payload) ? ownMember(payload, 'editedArgs') : undefined;
  const replacement = editedArgs ?? reply.replaceInput;
  const runs = question.kind !== 'approval' || isApproved(payload);
  if (replacement !== undefined && runs && question.kind !== 'respond') {
    await checked(tool.input, replacement, { reply, at: editedArgs === undefined ? '' : '/editedArgs' });
  }
  if (question.kind === 'respond') {
    const schema = outputSchema(tool, state.input);
    return { ...reply, payload: await checked(schema, payload ?? null, { reply, at: '' }) };
  }
  if (question.kind === 'recovery' && question.stepKey === undefined) {
    const effect = answerEffect('recovery', reply);
    if (effect.type === 'finished') {
      await checked(outputSchema(tool, state.input), effect.value, { reply, at: '/result' });
    }
  }
  if (question.kind === 'restart') {
    const resumed = await checked(tool.resume, payload ?? null, { reply, at: '' });
    // What has secrets is kept as it came, without them, and read by the schema again when they are put back.
    return payload === reply.payload ? { ...reply, payload: resumed } : reply;
  }
  return reply;
}

async function checked(
  schema: SchemaLike | undefined,
  value: unknown,
  { reply, at }: { readonly reply: Reply; readonly at: string },
): Promise<unknown> {
  if (schema === undefined) return value;
  const result = await validateWithSchema(schema, value);
  if (result.ok) return result.value;
  throw invalidAnswer(
    reply.interruptId,
    result.issues.map((issue) => ({ ...issue, pointer: `${at}${issue.pointer}` })),
  );
}
