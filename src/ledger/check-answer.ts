import { answerFormOf, answerFormsOf, schemaOfAnswer } from '../content/interrupts/index.ts';
import type { Issue } from '../core/index.ts';
import {
  canonicalJson,
  defined,
  digestText,
  HoldpointError,
  invalidAnswer,
  isRecord,
} from '../core/index.ts';
import type { CompiledSchema } from '../core/schema/index.ts';
import { compileForeignSchema, compileJsonSchema, hasSecrets, replaceSecrets } from '../core/schema/index.ts';
import type { Interrupt, ResumeEntry } from '../protocol/index.ts';
import { isExpired } from '../protocol/index.ts';
import type { Access } from './access.ts';
import { assertMayAnswer, OPERATOR_ID, withdrawsByCancelling } from './access.ts';
import type { GivenAnswer, InterruptRecord, Principal, Way } from './records.ts';
import type { Sealed, Vault } from './vault.ts';
import { hasMarkers, noKey, secretMarker } from './vault.ts';

export interface AnswerToCheck {
  readonly access: Access;
  readonly entry: ResumeEntry;
  readonly record: InterruptRecord;
  readonly now: number;
  readonly via: Way;
  /** Encrypts the secrets of the answer. Without it, an answer with secrets is rejected. */
  readonly vault?: Vault | undefined;
}

/** A valid answer, and the secrets that were removed from it. */
export interface NewAnswer {
  readonly answer: GivenAnswer;
  readonly sealed?: Sealed;
}

/** Rules for an answer in addition to its schema, by the kind of the interrupt. */
export type AnswerRules = (
  record: InterruptRecord,
  entry: ResumeEntry,
) => readonly Issue[] | Promise<readonly Issue[]>;

type Compared = Pick<ResumeEntry, 'status' | 'payload' | 'metadata'>;

/**
 * An answer as text: equal for the same status, payload and form. The default form is not written. Throws `INPUT_INVALID` for a payload
 * that is not JSON.
 */
function answerText(interrupt: Interrupt, entry: Compared): string {
  const { status, payload } = entry;
  if (status === 'cancelled') return canonicalJson({ status });
  const form = answerFormOf(interrupt, entry);
  const isDefault = form === answerFormsOf(interrupt)[0];
  return canonicalJson({ status, payload: payload ?? null, ...(isDefault ? {} : { as: form }) });
}

/** Whether a stored answer has this text. */
function hasText({ interrupt }: InterruptRecord, stored: GivenAnswer, text: string): boolean {
  return stored.digest === undefined
    ? answerText(interrupt, stored) === text
    : stored.digest === digestText(text);
}

/**
 * Checks an answer, in this order: may the principal answer (before anything about the interrupt is revealed); is it
 * the same answer again (returns `same`, in every state of the interrupt); is there another answer, or is the
 * interrupt closed; has it expired; is the answer valid. Throws `INTERRUPT_CONFLICT`, `ANSWER_FORBIDDEN`,
 * `INTERRUPT_EXPIRED` or `ANSWER_INVALID`, and `INPUT_INVALID` for a secret without a key.
 */
export async function checkAnswer(
  given: AnswerToCheck,
  rules: AnswerRules = () => [],
): Promise<{ readonly type: 'same' } | ({ readonly type: 'new' } & NewAnswer)> {
  const { access, record, now, via, vault } = given;
  const { key, principal } = access;
  const isWithdrawn = given.entry.status === 'cancelled' && (await withdrawsByCancelling(access, record));
  if (!isWithdrawn) await assertMayAnswer(access, record);
  const entry = await withoutWrapper(given.entry, record);
  const hidden = await hideSecrets(entry, record, vault);
  const text = answerText(record.interrupt, hidden.compared);
  // Cancelling an interrupt that expired does not cancel the one that was asked in its place.
  if (record.supersededBy !== undefined) throw conflict(record);
  if (record.answer !== undefined && hasText(record, record.answer, text)) return { type: 'same' };
  const open = record.state === 'pending' || record.state === 'answered' || record.state === 'expired';
  const mayChange = record.answer === undefined || mayReplace(record.answer, principal, now) || isWithdrawn;
  if (!open || !mayChange) throw conflict(record);
  const late =
    record.answer === undefined && (record.state === 'expired' || isExpired(record.interrupt, now));
  if (late && entry.status === 'resolved') {
    const sentence = `The interrupt ${record.interrupt.id} has expired; it can be cancelled or asked again.`;
    throw new HoldpointError('INTERRUPT_EXPIRED', sentence);
  }
  await assertFits(record, entry, rules);
  const digest = hidden.secrets.length === 0 ? undefined : digestText(text);
  const answer = toAnswer({ entry: hidden.kept, principal, now, via, digest, isWithdrawn });
  if (vault === undefined || hidden.secrets.length === 0) return { type: 'new', answer };
  const sealed = await vault.seal({ ...key, id: record.interrupt.id }, hidden.secrets);
  return { type: 'new', answer, sealed };
}

/** The author may replace an answer; within its undo time only after taking it back, so that another window cannot replace it. */
function mayReplace({ by, undoUntil = 0 }: GivenAnswer, { id }: Principal, now: number): boolean {
  return by === id && undoUntil <= now;
}

/**
 * The entry with the value in its `{response: value}`, if the response schema accepts the value but not the object: clients that do
 * not know the schema send a text this way.
 */
async function withoutWrapper(entry: ResumeEntry, record: InterruptRecord): Promise<ResumeEntry> {
  const { status, payload } = entry;
  if (status === 'cancelled' || !isRecord(payload) || Object.keys(payload).join() !== 'response')
    return entry;
  const { response } = payload;
  if (typeof response === 'object' || response === undefined) return entry;
  const schema = await answerSchema(record, entry);
  if (schema === undefined || schema.validate(payload).length === 0) return entry;
  return schema.validate(response).length === 0 ? { ...entry, payload: response } : entry;
}

function toAnswer(given: {
  readonly entry: ResumeEntry;
  readonly principal: Principal;
  readonly now: number;
  readonly via: Way;
  readonly digest: string | undefined;
  readonly isWithdrawn: boolean;
}): GivenAnswer {
  const { entry, principal, now, via, digest, isWithdrawn } = given;
  const { status, payload, metadata } = entry;
  return {
    status,
    ...(payload === undefined || status === 'cancelled' ? {} : { payload }),
    ...defined({ metadata }),
    by: principal.id,
    at: now,
    via,
    ...defined({ digest }),
    ...(isWithdrawn ? { withdrawn: true } : {}),
  };
}

async function assertFits(record: InterruptRecord, entry: ResumeEntry, rules: AnswerRules): Promise<void> {
  if (entry.status === 'cancelled') return;
  const { id } = record.interrupt;
  const payload: unknown = entry.payload ?? null;
  const bySchema = (await answerSchema(record, entry))?.validate(payload) ?? [];
  const issues = bySchema.length > 0 ? bySchema : await rules(record, entry);
  if (issues.length > 0) throw invalidAnswer(id, issues);
}

/** The conflict error; it says who answered, when and what. */
export function conflict({ interrupt, state, answer }: InterruptRecord): HoldpointError {
  if (answer === undefined) {
    return new HoldpointError('INTERRUPT_CONFLICT', `The interrupt ${interrupt.id} is already ${state}.`, {
      details: { interruptId: interrupt.id, state },
    });
  }
  const { by, at, status, payload } = answer;
  return new HoldpointError(
    'INTERRUPT_CONFLICT',
    `${by} has already given another answer to the interrupt ${interrupt.id}.`,
    {
      details: {
        interruptId: interrupt.id,
        state,
        by,
        at: new Date(at).toISOString(),
        answer: { status, ...defined({ payload }) },
      },
    },
  );
}

/**
 * The compiled schema of an answer; undefined without a schema. Throws `INPUT_INVALID` for an unusable
 * schema.
 */
export async function answerSchema(
  { interrupt, foreign }: InterruptRecord,
  entry: Pick<ResumeEntry, 'metadata'> = {},
): Promise<CompiledSchema | undefined> {
  const schema = schemaOfAnswer(interrupt, entry);
  if (schema === undefined) return undefined;
  return foreign === true ? compileForeignSchema(schema) : compileJsonSchema(schema);
}

/** An answer without its secrets: with markers to store it, with fingerprints to compare it. */
export interface HiddenAnswer {
  readonly kept: ResumeEntry;
  readonly compared: ResumeEntry;
  readonly secrets: readonly unknown[];
}

/**
 * Removes the secrets from an answer before it is stored. Throws `INPUT_INVALID` for secrets without a key, and
 * `ANSWER_INVALID` for an answer that contains markers.
 */
export async function hideSecrets(
  entry: ResumeEntry,
  record: InterruptRecord,
  vault: Vault | undefined,
): Promise<HiddenAnswer> {
  const { id } = record.interrupt;
  const schema = schemaOfAnswer(record.interrupt, entry);
  if (entry.status === 'cancelled') return { kept: entry, compared: entry, secrets: [] };
  if (hasMarkers(entry.payload)) {
    throw invalidAnswer(id, [{ pointer: '', message: 'expected no member named $secret' }]);
  }
  if (schema === undefined || !hasSecrets(schema)) return { kept: entry, compared: entry, secrets: [] };
  if (vault === undefined) throw noKey(id);
  // Rejects an unusable schema before it is used.
  await answerSchema(record, entry);
  const payload = entry.payload ?? null;
  const secrets: unknown[] = [];
  const marked = await replaceSecrets(schema, payload, (secret, index) => {
    secrets.push(secret);
    return secretMarker(id, index);
  });
  const prints = await Promise.all(secrets.map((secret) => vault.fingerprint(id, secret)));
  const printed = await replaceSecrets(schema, payload, (_secret, index) => ({
    $fingerprint: prints[index],
  }));
  return {
    kept: { ...entry, payload: marked },
    compared: { ...entry, payload: printed },
    secrets,
  };
}

/** The answer of an interrupt whose time ended without one. Its time is the end of that time. */
export function expiredAnswer({ interrupt }: InterruptRecord, now: number): GivenAnswer {
  const end = Date.parse(interrupt.expiresAt ?? '');
  return cancelledAnswer({ by: OPERATOR_ID, at: Number.isNaN(end) ? now : end, via: 'expiry' });
}

/** A cancelled answer, with its author and reason. */
export function cancelledAnswer({
  reason,
  ...given
}: Pick<GivenAnswer, 'by' | 'at' | 'via' | 'withdrawn'> & {
  readonly reason?: string | undefined;
}): GivenAnswer {
  return {
    status: 'cancelled',
    ...given,
    ...defined({ metadata: reason === undefined ? undefined : { reason } }),
  };
}
