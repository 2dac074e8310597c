/**
 * The id of a question that was asked without one, and of the answer to it. The draft allows this; such a
 * question is published under an id of our own before it leaves the ledger.
 */
export const UNNAMED_INTERRUPT = '';
