/**
 * What a reader gives for an id that is not there: of an interrupt that another server sent without one, which the draft
 * allows, and of an answer that names no interrupt. A host publishes every interrupt under an id, and an answer with this one
 * is for none.
 */
export const UNNAMED_INTERRUPT = '';
