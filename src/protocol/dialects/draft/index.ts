/** draft: the proposal behind AG-UI 1.0, with one interrupt and one answer at a time. */
import type { Dialect } from '../dialect.ts';
import { decodeEvent, ownsEvent } from './decode-event.ts';
import { decodeInput, ownsInput } from './decode-input.ts';
import { encodeEvent } from './encode-event.ts';
import { encodeInput } from './encode-input.ts';

export const draft: Dialect = {
  name: 'draft',
  ownsEvent,
  ownsInput,
  decodeEvent,
  encodeEvent,
  decodeInput,
  encodeInput,
};
