/** rare: what applies the events that many streams never have, so that a reader can load it with the first of them. */
export { applyRareEvent } from './apply-rare-event.ts';
