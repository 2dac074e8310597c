/** snake: lower-case event types and snake_case members, as two-tier servers write them. */
import type { Dialect } from '../dialect.ts';
import { decodeEvent, ownsEvent } from './decode-event.ts';
import { decodeInput, ownsInput } from './decode-input.ts';
import { encodeEvent } from './encode-event.ts';
import { encodeInput } from './encode-input.ts';

export { isApprovalDecided, isApprovalRequested } from './approval-events.ts';
export type { ApprovalDecidedEvent, ApprovalRequestedEvent } from './approval-events.ts';

export const snake: Dialect = {
  name: 'snake',
  ownsEvent,
  ownsInput,
  decodeEvent,
  encodeEvent,
  decodeInput,
  encodeInput,
};
