import type { App } from './use-app.ts';

/** Requests that a test makes and answers without a page. */
export interface InboxRequests {
  /** Says something to the agent, and returns the thread. */
  ask(text: string): Promise<string>;
  /** Answers the first open interrupt of a thread. */
  answer(threadId: string, entry: object): Promise<void>;
  /** Takes back the newest answer whose run has not continued. */
  takeBack(): Promise<void>;
  /** Cancels every open interrupt, so that the list of a test is its own. */
  empty(): Promise<void>;
}

interface Listed {
  readonly interrupts: readonly { readonly threadId: string; readonly interrupt: { readonly id: string } }[];
}

export const APPROVAL = { status: 'resolved', payload: { approved: true } };
export const REJECTION = { status: 'resolved', payload: { approved: false } };

/** Creates requests on the server of an app. */
export function inboxRequests(app: App): InboxRequests {
  let asked = 0;
  const json = async <Value>(path: string, init?: RequestInit): Promise<Value> =>
    (await (await fetch(`${app.server.url}${path}`, init)).json()) as Value;
  const sent = (body: object) => ({
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const answer = (threadId: string, interruptId: string, entry: object) =>
    json<unknown>(`/threads/${threadId}/interrupts/${interruptId}/answer`, sent(entry));
  return {
    async ask(text) {
      asked += 1;
      const threadId = `asked-${asked}`;
      const messages = [{ id: `${threadId}-message`, role: 'user', content: text }];
      const input = { threadId, runId: `${threadId}-run`, messages, tools: [], context: [], state: {} };
      const run = sent({ ...input, forwardedProps: {} });
      const response = await fetch(`${app.server.url}/agents/assistant`, run);
      await response.text();
      return threadId;
    },
    async answer(threadId, entry) {
      const { interrupts } = await json<Listed>(`/interrupts?thread=${threadId}`);
      await answer(threadId, interrupts[0]?.interrupt.id ?? '', entry);
    },
    async takeBack() {
      const { interrupts } = await json<Listed>('/interrupts?status=answered&order=answered&limit=1');
      for (const { threadId, interrupt } of interrupts)
        await fetch(`${app.server.url}/threads/${threadId}/interrupts/${interrupt.id}/answer`, {
          method: 'DELETE',
        });
    },
    async empty() {
      const { interrupts } = await json<Listed>('/interrupts?limit=500');
      for (const { threadId, interrupt } of interrupts)
        await answer(threadId, interrupt.id, { status: 'cancelled' });
    },
  };
}
