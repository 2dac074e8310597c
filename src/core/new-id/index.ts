/** new-id: makes ids; a door of its own, since a page makes simpler ones. */
export { newId } from '../ids.ts';
