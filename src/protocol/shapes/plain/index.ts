/** plain: reads the events of a plain run; a room of its own, so that a page loads the other shapes when they come. */
export { decodePlainEvent } from './decode-plain-event.ts';
