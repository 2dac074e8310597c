import type { JSX } from 'react';
import { useState } from 'react';

/** The part of an interrupt that the card shows. */
export interface ShownInterrupt {
  readonly id: string;
  readonly message?: string | undefined;
  readonly responseSchema?: unknown;
}

/** A card as an application would write one: two buttons for an approval, a text field for anything else. */
export function Card({
  interrupt: { message, responseSchema },
  onAnswer,
}: {
  readonly interrupt: ShownInterrupt;
  /** A method, because the first API of CopilotKit declares answers as text. */
  onAnswer(payload: unknown): void;
}): JSX.Element {
  const [text, setText] = useState('');
  const isApproval = JSON.stringify(responseSchema ?? {}).includes('"approved"');
  return (
    <section className="hp-card">
      <p>{message}</p>
      {isApproval ? (
        <>
          <button onClick={() => onAnswer({ approved: true })}>Approve</button>
          <button onClick={() => onAnswer({ approved: false, reason: 'too much' })}>Reject</button>
        </>
      ) : (
        <>
          <input aria-label="Answer" value={text} onChange={(event) => setText(event.target.value)} />
          <button onClick={() => onAnswer(text)}>Send answer</button>
        </>
      )}
    </section>
  );
}

const query = new URLSearchParams(location.search);
export const threadId = query.get('thread') ?? 'main';
export const agentId = query.get('agent') ?? 'assistant';
/** Set when the page uses the runtime of CopilotKit in place of the host. */
export const runtimeUrl = query.get('runtime') ?? undefined;
/** True when the page shows the cards of Holdpoint in place of its own. */
export const usesHoldpointCards: boolean = query.has('cards');
