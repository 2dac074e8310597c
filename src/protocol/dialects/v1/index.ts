/** v1: AG-UI 1.0, the dialect used inside. */
import type { Dialect } from '../dialect.ts';
import { decodeEvent, ownsEvent } from './decode-event.ts';
import { decodeInput, ownsInput } from './decode-input.ts';
import { encodeEvent } from './encode-event.ts';
import { encodeInput } from './encode-input.ts';

export const v1: Dialect = {
  name: '1.0',
  ownsEvent,
  ownsInput,
  decodeEvent,
  encodeEvent,
  decodeInput,
  encodeInput,
};
