/** Says what could not be applied. */
export type Warn = (warning: string) => void;
