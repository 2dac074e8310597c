/**
 * The id of an interrupt without an id, which the draft allows, and of an answer that names no interrupt. A host
 * publishes every interrupt with an id, so an answer with this id matches no interrupt of a host.
 */
export const UNNAMED_INTERRUPT = '';
