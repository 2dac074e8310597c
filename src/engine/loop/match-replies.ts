import {
  answerEffect,
  answerFormOf,
  checkPayload,
  isApproved,
  INTERRUPT_KINDS,
  schemaOfForm,
} from '../../content/interrupts/index.ts';
import { defined, HoldpointError, invalidAnswer, isRecord, ownMember } from '../../core/index.ts';
import type { SchemaLike } from '../../core/schema/index.ts';
import { validateWithSchema } from '../../core/schema/index.ts';
import type { ResumeEntry } from '../../protocol/index.ts';
import type { PendingInterrupt, WaitingCall } from '../calls/call-state.ts';
import type { JournalEntry } from '../calls/journal.ts';
import type { RunContext, RunSecrets } from '../calls/run-context.ts';
import type { Reply } from '../tools/tool-replies.ts';
import type { Tool } from '../tools/tool.ts';
import { outputSchema } from '../tools/tool.ts';
import type { OpenTurn } from './open-turn.ts';
import { openParts } from './open-turn.ts';

/**
 * Matches answers with the interrupts of a turn and checks all of them first. Throws `INTERRUPT_UNKNOWN`,
 * `INTERRUPTS_UNANSWERED`, `ANSWER_INVALID`, or `INPUT_INVALID` for two answers to one interrupt.
 */
export function matchReplies(
  turn: OpenTurn,
  replies: readonly (Reply | ResumeEntry)[],
  secrets: RunSecrets | undefined,
): Map<string, Reply> {
  const parts = new Map(openParts(turn).map((part) => [part.interrupt.id, part]));
  const matched = new Map<string, Reply>();
  for (const given of replies) {
    const part = parts.get(given.interruptId);
    if (part === undefined) {
      throw new HoldpointError('INTERRUPT_UNKNOWN', `No open interrupt has the id ${given.interruptId}.`);
    }
    if (matched.has(given.interruptId)) {
      throw new HoldpointError('INPUT_INVALID', `The interrupt ${given.interruptId} has two answers.`);
    }
    const reply = toReply(given, part);
    if (reply.status === 'resolved') {
      assertMethod(reply, part);
      const payload = secrets === undefined ? reply.payload : secrets.open(reply.payload);
      const issues = checkPayload(part.interrupt, { ...reply, payload }, schemaFor(reply, part));
      if (issues.length > 0) throw invalidAnswer(reply.interruptId, issues);
    }
    matched.set(given.interruptId, reply);
  }
  const missing = [...parts.values()].filter(({ interrupt }) => !matched.has(interrupt.id));
  if (missing.length > 0) {
    const names = missing.map(({ toolName, interrupt }) => `${interrupt.id} (${toolName})`).join(', ');
    throw new HoldpointError('INTERRUPTS_UNANSWERED', `These interrupts have no answer: ${names}.`);
  }
  return matched;
}

/** True for the output of a call that called `ctx.interrupt`: its body does not run again. */
export function givesOutput({ method }: Reply, { kind }: Pick<PendingInterrupt, 'kind'>): boolean {
  return kind === 'restart' && method === 'respond';
}

/** The JSON Schema of an answer. A program in process may give an output where the interrupt names no schema for it. */
function schemaFor(reply: Reply, part: Pick<PendingInterrupt, 'kind' | 'interrupt'>) {
  if (part.kind !== 'restart') return part.interrupt.responseSchema;
  return schemaOfForm(part.interrupt, givesOutput(reply, part) ? 'output' : 'resume');
}

/** An entry of the wire has no method; the record of the interrupt has it, and the entry says its form. */
function toReply(given: Reply | ResumeEntry, part: Pick<PendingInterrupt, 'kind' | 'interrupt'>): Reply {
  if ('method' in given) return given;
  if (part.kind === 'restart' && answerFormOf(part.interrupt, given) === 'output')
    return { ...given, method: 'respond' };
  const [method = 'cancel'] = INTERRUPT_KINDS[part.kind].methods;
  return { ...given, method };
}

function assertMethod(
  reply: Reply,
  part: { readonly kind: PendingInterrupt['kind']; readonly toolName: string },
): void {
  const { methods } = INTERRUPT_KINDS[part.kind];
  if (!methods.includes(reply.method)) {
    throw new HoldpointError(
      'ANSWER_INVALID',
      `Answer the interrupt ${reply.interruptId} with ${methods.join(' or ')}, not with ${reply.method}.`,
    );
  }
  if (reply.toolName !== undefined && reply.toolName !== part.toolName) {
    throw new HoldpointError(
      'ANSWER_INVALID',
      `The interrupt ${reply.interruptId} belongs to ${part.toolName}, not to ${reply.toolName}.`,
    );
  }
}

export interface ReplyToCheck {
  readonly tool: Tool;
  readonly state: WaitingCall;
  readonly pending: PendingInterrupt;
  readonly reply: Reply;
  readonly secrets: RunSecrets | undefined;
}

/**
 * Checks an answer with the schemas of the tool, which may be stricter than their JSON Schema, and returns the
 * parsed answer. Throws `ANSWER_INVALID` before anything runs.
 */
export async function checkReply(toCheck: ReplyToCheck): Promise<Reply> {
  const { tool, state, pending, reply, secrets } = toCheck;
  // The delegate checks the answers to its own interrupts.
  if (reply.status === 'cancelled' || pending.askKey !== undefined) return reply;
  const payload = secrets === undefined ? reply.payload : secrets.open(reply.payload);
  const editedArgs = isRecord(payload) ? ownMember(payload, 'editedArgs') : undefined;
  const replacement = editedArgs ?? reply.replaceInput;
  const runs = pending.kind !== 'approval' || isApproved(payload);
  if (replacement !== undefined && runs && pending.kind !== 'respond') {
    await checked(tool.input, replacement, { reply, at: editedArgs === undefined ? '' : '/editedArgs' });
  }
  if (pending.kind === 'respond' || givesOutput(reply, pending)) {
    const schema = outputSchema(tool, state.input);
    return { ...reply, payload: await checked(schema, payload ?? null, { reply, at: '' }) };
  }
  if (pending.kind === 'recovery' && pending.stepKey === undefined) {
    const effect = answerEffect('recovery', reply);
    if (effect.type === 'finished') {
      await checked(outputSchema(tool, state.input), effect.value, { reply, at: '/result' });
    }
  }
  if (pending.kind === 'restart') {
    const resumed = await checked(tool.resume, payload ?? null, { reply, at: '' });
    // An answer with secrets is stored unparsed, with markers, and parsed again after they are replaced.
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

/** The answers to the asks of a body, in the form of its journal. */
export function answersOf(
  state: WaitingCall,
  replies: ReadonlyMap<string, Reply>,
  run: Pick<RunContext, 'answeredBy' | 'isWithdrawn'>,
): JournalEntry[] {
  return state.interrupts.flatMap((pending): JournalEntry[] => {
    const { askKey, interrupt } = pending;
    const reply = replies.get(interrupt.id);
    if (askKey === undefined || reply === undefined) return [];
    const entry = { key: askKey, kind: 'ask' as const };
    return [
      reply.status === 'cancelled'
        ? {
            ...entry,
            cancelled: true,
            ...defined({ by: run.answeredBy(interrupt.id)?.id }),
            ...(run.isWithdrawn(interrupt.id) ? { withdrawn: true } : {}),
          }
        : {
            ...entry,
            value: reply.payload ?? null,
            ...(givesOutput(reply, pending) ? { responds: true } : {}),
          },
    ];
  });
}
