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
  // The names of a draft are those of a record.
  for (const name of Object.keys(draft) as (keyof ThreadDraft)[]) {
    if (draft[name] !== undefined) present[name] = draft[name];
  }
  // Whatever a draft may lose, a record may be without.
  return Object.assign(present, ends) as unknown as ThreadRecord;
}
