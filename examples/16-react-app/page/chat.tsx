/**
 * A conversation as a React component. `useSyncExternalStore` reads the thread; no other state is needed: open
 * interrupts, staged answers and errors are all in the snapshot.
 */
import { useState, useSyncExternalStore } from 'react';
import { approve, reject } from 'holdpoint/client';
import type { Client, Interrupt, Message, ResumeEntry, Run, ThreadSnapshot } from 'holdpoint/client';

export interface ChatProps {
  readonly client: Client;
  readonly threadId: string;
}

function useThread({ client, threadId }: ChatProps): ThreadSnapshot {
  const { subscribe, getSnapshot } = client.thread(threadId);
  return useSyncExternalStore(subscribe, getSnapshot, getSnapshot);
}

export function Chat({ client, threadId }: ChatProps) {
  const { status, messages, interrupts, staged, error } = useThread({ client, threadId });
  const [text, setText] = useState('');

  /** The outcome of a run is in the snapshot, errors included. */
  const go = (run: Run) => void run.finished.catch(() => undefined);
  const send = () => {
    if (text.trim() === '') return;
    setText('');
    go(client.run({ threadId, messages: text }));
  };
  /** Stages answers until each interrupt has one, then sends them together. */
  const decide = async (entry: ResumeEntry) => {
    const { missing } = await client.stage({ threadId }, [entry]);
    if (missing.length === 0) go(client.resume({ threadId }));
  };

  return (
    <main>
      {messages.map((message) => (
        <Said key={message.id} message={message} />
      ))}
      {status === 'interrupted' &&
        interrupts.map((interrupt) => (
          <Card
            key={interrupt.id}
            interrupt={interrupt}
            answered={staged.some(({ interruptId }) => interruptId === interrupt.id)}
            onDecide={(entry) => void decide(entry)}
          />
        ))}
      {error !== undefined && <p role="alert">{error.message}</p>}
      <form action={send}>
        <input aria-label="Message" value={text} onChange={({ target }) => setText(target.value)} />
        <button disabled={status === 'running' || status === 'interrupted'}>Send</button>
      </form>
    </main>
  );
}

function Said({ message: { role, content } }: { readonly message: Message }) {
  if ((role !== 'user' && role !== 'assistant') || typeof content !== 'string') return null;
  return <p className={role}>{content}</p>;
}

interface CardProps {
  readonly interrupt: Interrupt;
  readonly answered: boolean;
  readonly onDecide: (entry: ResumeEntry) => void;
}

function Card({ interrupt, answered, onDecide }: CardProps) {
  return (
    <fieldset disabled={answered}>
      <legend>{interrupt.message}</legend>
      <button onClick={() => onDecide(approve(interrupt))}>Approve</button>
      <button onClick={() => onDecide(reject(interrupt, 'Not today.'))}>Reject</button>
    </fieldset>
  );
}
