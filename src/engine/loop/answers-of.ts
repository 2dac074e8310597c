import type { WaitingCall } from '../calls/call-state.ts';
import type { JournalEntry } from '../journal/journal.ts';
import type { Reply } from '../tools/tool-replies.ts';

/** The answers to what a body asked, as its journal keeps them. */
export function answersOf(state: WaitingCall, replies: ReadonlyMap<string, Reply>): JournalEntry[] {
  return state.questions.flatMap(({ askKey, interrupt }): JournalEntry[] => {
    const reply = replies.get(interrupt.id);
    if (askKey === undefined || reply === undefined) return [];
    const entry = { key: askKey, kind: 'ask' as const };
    return [
      reply.status === 'cancelled'
        ? { ...entry, cancelled: true }
        : { ...entry, value: reply.payload ?? null },
    ];
  });
}
