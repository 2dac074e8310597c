/** One thing that the doctor looked at. */
export interface Finding {
  readonly what: string;
  readonly ok: boolean;
  readonly says: string;
  /** What to do about it. */
  readonly next?: string;
}

export function good(what: string, says: string): Finding {
  return { what, ok: true, says };
}

export function bad(what: string, says: string, next: string): Finding {
  return { what, ok: false, says, next };
}
