/** new-id: creates ids. A separate entry, because a page creates simpler ones. */
export { newId } from '../ids.ts';
