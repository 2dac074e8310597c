import type { Interrupt } from '@ag-ui/core';
import type { UnknownRecord } from '../../core/index.ts';
import { defined, isRecord, ownMember } from '../../core/index.ts';
import { functionDetails } from './approval.ts';
import { InterruptReason, UNNAMED_INTERRUPT } from './interrupt.ts';

/** An interrupt of the draft. */
export interface DraftInterrupt {
  readonly id?: string | null;
  readonly reason?: string | null;
  /** Any JSON. */
  readonly payload?: unknown;
}

/**
 * Reads an interrupt of the draft: a missing reason is `tool_call` for a payload that names a function, else `input_required`.
 * The response schema and the expiry inside the payload move to their members of AG-UI 1.0; other members stay as they are.
 */
export function fromDraftInterrupt(value: DraftInterrupt & UnknownRecord): Interrupt {
  const { id, reason, payload, metadata, ...rest } = value;
  const { payload: own, ...carried } = takeCarried(payload);
  const assumed =
    functionDetails(payload) === undefined ? InterruptReason.InputRequired : InterruptReason.ToolCall;
  const known = isRecord(metadata) ? metadata : undefined;
  return {
    ...carried,
    ...rest,
    id: id ?? UNNAMED_INTERRUPT,
    reason: reason ?? assumed,
    ...defined({ metadata: own === undefined ? known : { ...known, payload: own } }),
  };
}

/** Members of AG-UI 1.0 that a draft interrupt carries inside its payload. */
type Carried = Pick<Interrupt, 'responseSchema' | 'expiresAt'>;

/** Adds members to the payload of a draft interrupt, under names that the payload does not use. */
export function carryInPayload(
  payload: unknown,
  carried: Carried & { readonly prompt?: string | undefined },
): unknown {
  const added = defined(carried);
  if (Object.keys(added).length === 0 || (payload !== undefined && !isRecord(payload))) return payload;
  return { ...payload, ...added, ...payload };
}

function takeCarried(payload: unknown): Carried & { readonly payload: unknown } {
  if (!isRecord(payload)) return { payload };
  const responseSchema = ownMember(payload, 'responseSchema');
  const expiresAt = ownMember(payload, 'expiresAt');
  const schema = isRecord(responseSchema) ? { responseSchema } : {};
  const expiry = typeof expiresAt === 'string' && !Number.isNaN(Date.parse(expiresAt)) ? { expiresAt } : {};
  const taken = { ...schema, ...expiry };
  const names = Object.keys(taken);
  if (names.length === 0) return { payload };
  const left = Object.entries(payload).filter(([name]) => !names.includes(name));
  return { ...taken, payload: left.length === 0 ? undefined : Object.fromEntries(left) };
}
