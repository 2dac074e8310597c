import type { ThreadRecord } from './records.ts';

type OptionalName = {
  [Name in keyof ThreadRecord]-?: object extends Pick<ThreadRecord, Name> ? Name : never;
}[keyof ThreadRecord];

/** A thread while it is changed: a member that is undefined is no longer in it. */
export type ThreadDraft = {
  -readonly [Name in Exclude<keyof ThreadRecord, OptionalName>]: ThreadRecord[Name];
} & {
  -readonly [Name in OptionalName]?: ThreadRecord[Name] | undefined;
};

/** The record that a draft comes to, with where its chain and its logs end then. */
export function toThreadRecord(draft: ThreadDraft, ends: Pick<ThreadRecord, 'chain' | 'logs'>): ThreadRecord {
  const present: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(draft)) if (value !== undefined) present[name] = value;
  // Whatever a draft may lose, a record may be without.
  return Object.assign(present, ends) as unknown as ThreadRecord;
}
