/** Receives a sentence about an event that could not be applied. */
export type Warn = (warning: string) => void;
