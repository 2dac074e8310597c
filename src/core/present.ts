/** Turns members that may be undefined into optional members. */
export type Present<T> = {
  [Key in keyof T as undefined extends T[Key] ? never : Key]: T[Key];
} & {
  [Key in keyof T as undefined extends T[Key] ? Key : never]?: Exclude<T[Key], undefined>;
};

/** The members that are not undefined. */
export function present<const T extends object>(members: T): Present<T> {
  // Object.fromEntries does not keep the types of the members.
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined),
  ) as unknown as Present<T>;
}
