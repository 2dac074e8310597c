/** optional: applies the events that many streams do not have. A separate entry, loaded with the first of them. */
export { applyOptionalEvent } from './apply-optional-event.ts';
