import type { Issue, UnknownRecord } from '../../core/index.ts';
import { isRecord, ownMember } from '../../core/index.ts';
import type { Interrupt, ResumeEntry } from '../../protocol/index.ts';
import { InterruptReason } from '../../protocol/interrupts/interrupt.ts';

/** The issues of an approval that a page checks beyond the response schema: edits, reason and confirmation. */
export function checkDecision(interrupt: Interrupt, { status, payload }: ResumeEntry): Issue[] {
  if (status === 'cancelled' || !isRecord(payload)) return [];
  const { metadata = {} } = interrupt;
  const isApproval = Object.hasOwn(payload, 'approved');
  const decides = isApproval || interrupt.reason === InterruptReason.ErrorRecovery;
  if (decides && ownMember(payload, 'editedArgs') !== undefined && !offersEdits(interrupt)) {
    return [{ pointer: '/editedArgs', message: 'the arguments of this call cannot be changed' }];
  }
  if (!isApproval) return [];
  const approved = isApproved(payload);
  if (!approved && ownMember(metadata, 'requireReason') === true && !isFilled(ownMember(payload, 'reason'))) {
    return [{ pointer: '/reason', message: 'expected a reason for the rejection' }];
  }
  const phrase = ownMember(metadata, 'confirmation');
  if (approved && typeof phrase === 'string' && ownMember(payload, 'confirmation') !== phrase) {
    return [{ pointer: '/confirmation', message: `expected the phrase ${JSON.stringify(phrase)}` }];
  }
  return [];
}

function isFilled(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '';
}

/**
 * Only the boolean true approves; `accepted` counts as `approved`, and each of the two that is present must be true.
 *
 * @example
 * ```ts
 * import { isApproved } from 'holdpoint/content';
 *
 * isApproved({ approved: true }); // true
 * isApproved({ approved: 'yes' }); // false
 * ```
 */
export function isApproved(payload: unknown): boolean {
  if (!isRecord(payload)) return false;
  const present = ['approved', 'accepted'].filter((name) => Object.hasOwn(payload, name));
  return present.length > 0 && present.every((name) => payload[name] === true);
}

/** The part of an interrupt or a request that describes the answer. */
interface Offer {
  readonly responseSchema?: UnknownRecord;
}

/**
 * True when the reviewer may replace the arguments, by the response schema.
 *
 * @example
 * ```ts
 * import { offersEdits } from 'holdpoint/content';
 *
 * if (offersEdits(interrupt)) console.log('The arguments may be edited.');
 * ```
 */
export function offersEdits(offer: Offer): boolean {
  return Object.hasOwn(propertiesOf(offer.responseSchema), 'editedArgs');
}

/** True when the reviewer may have the decision remembered: `remember` has our members, not those of another agent. */
export function offersRemember({ responseSchema }: Offer): boolean {
  const remember = ownMember(propertiesOf(responseSchema), 'remember');
  const members = isRecord(remember) ? propertiesOf(remember) : {};
  return Object.hasOwn(members, 'what') && Object.hasOwn(members, 'where');
}

function propertiesOf(schema: UnknownRecord | undefined): UnknownRecord {
  const properties = schema === undefined ? undefined : ownMember(schema, 'properties');
  return isRecord(properties) ? properties : {};
}

/** An interrupt of a foreign agent, without the offer to remember: its grants would be those of the host, not of the person. */
export function withoutRemember<I extends Offer>(interrupt: I): I {
  const { responseSchema } = interrupt;
  if (responseSchema === undefined || !offersRemember(interrupt)) return interrupt;
  const { remember: _offer, ...properties } = propertiesOf(responseSchema);
  return { ...interrupt, responseSchema: { ...responseSchema, properties } };
}

/**
 * True when an interrupt can be approved and rejected: its response schema has `approved`. An interrupt without a schema can,
 * if it names a function, names a tool call with the reason `tool_call`, or has a reason that asks for a decision, such as
 * `human_approval`.
 *
 * @example
 * ```ts
 * import { isApprovable } from 'holdpoint/content';
 *
 * const approvals = interrupts.filter(isApprovable);
 * ```
 */
export function isApprovable(interrupt: Interrupt): boolean {
  return interrupt.responseSchema === undefined
    ? asksForDecision(interrupt)
    : Object.hasOwn(propertiesOf(interrupt.responseSchema), 'approved');
}

/** True for an interrupt without a response schema that asks for yes or no. */
export function asksForDecision({ reason, toolCallId, metadata = {} }: Interrupt): boolean {
  switch (reason) {
    case InterruptReason.HumanApproval:
    case InterruptReason.DatabaseModification:
    case InterruptReason.PolicyHold:
      return true;
    case InterruptReason.Confirmation:
      // A tool that calls `ctx.interrupt` without a schema takes any JSON.
      if (!('toolName' in metadata)) return true;
  }
  if (reason === InterruptReason.ToolCall && toolCallId !== undefined) return true;
  const statesFunction = (details: unknown) => isRecord(details) && Object.hasOwn(details, 'functionName');
  return statesFunction(metadata) || statesFunction(metadata['payload']);
}
