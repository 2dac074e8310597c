/** command: interrupts as CUSTOM `on_interrupt` events, answers in `forwardedProps.command.resume`. */
import type { Dialect } from '../dialect.ts';
import { decodeEvent, ownsEvent } from './decode-event.ts';
import { decodeInput, ownsInput } from './decode-input.ts';
import { encodeEvent } from './encode-event.ts';
import { encodeInput } from './encode-input.ts';

export const command: Dialect = {
  name: 'command',
  ownsEvent,
  ownsInput,
  decodeEvent,
  encodeEvent,
  decodeInput,
  encodeInput,
};
