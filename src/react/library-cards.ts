import type { ReactElement } from 'react';
import { createElement, Fragment, useState } from 'react';
import { HoldpointError, messageOf } from '../core/index.ts';
import type { CardStatus } from '../elements/index.ts';
import { browserStorage, defineElements } from '../elements/index.ts';
import type { Interrupt, ResumeEntry } from '../protocol/index.ts';
import { InterruptElement } from './components.ts';

/** Properties of {@link AssistantUiInterrupts}. */
export interface AssistantUiInterruptsProps {
  /** From `useAgUiInterrupts()` of `@assistant-ui/react-ag-ui`. */
  readonly interrupts: readonly object[];
  /** From `useAgUiSubmitInterruptResponses()` of `@assistant-ui/react-ag-ui`. */
  readonly submit: (responses: ResumeEntry[]) => Promise<unknown>;
}

/**
 * The open interrupts of a page of assistant-ui as cards. Answers of one turn are sent together.
 *
 * @example
 * ```ts
 * import type { AssistantUiInterruptsProps } from 'holdpoint/react';
 * import { AssistantUiInterrupts } from 'holdpoint/react';
 * import { createElement } from 'react';
 *
 * // interrupts: useAgUiInterrupts(), submit: useAgUiSubmitInterruptResponses()
 * const Cards = (page: AssistantUiInterruptsProps) => createElement(AssistantUiInterrupts, page);
 * ```
 */
export function AssistantUiInterrupts({ interrupts, submit }: AssistantUiInterruptsProps): ReactElement {
  return cardsOf(interrupts, submit);
}

/** The part of the properties of a renderer of CopilotKit that is used here. */
export interface CopilotInterruptProps {
  readonly interrupts: readonly object[];
  readonly resolve: (payload: unknown, interruptId?: string) => Promise<unknown>;
  readonly cancel: (interruptId?: string) => Promise<unknown>;
}

/**
 * Renders the open interrupts of a page of CopilotKit as cards, for `useInterrupt`. Answers of one turn are sent together.
 *
 * @example
 * ```ts
 * import { copilotInterruptRenderer } from 'holdpoint/react';
 *
 * // useInterrupt(options) of `@copilotkit/react-core/v2`
 * const options = { agentId: 'assistant', render: copilotInterruptRenderer() };
 * ```
 */
export function copilotInterruptRenderer(): (props: CopilotInterruptProps) => ReactElement {
  return ({ interrupts, resolve, cancel }) =>
    cardsOf(interrupts, (entries) =>
      // CopilotKit sends the answers with the last one.
      Promise.all(
        entries.map(({ interruptId, status, payload }) =>
          status === 'cancelled' ? cancel(interruptId) : resolve(payload, interruptId),
        ),
      ),
    );
}

type Submit = AssistantUiInterruptsProps['submit'];

/** The cards of a batch; those of another batch start anew. */
function cardsOf(given: readonly object[], submit: Submit): ReactElement {
  // Libraries check interrupts when they read them.
  const interrupts = given as readonly Interrupt[];
  return createElement(BatchCards, { key: interrupts.map(({ id }) => id).join(' '), interrupts, submit });
}

function BatchCards(given: {
  readonly interrupts: readonly Interrupt[];
  readonly submit: Submit;
}): ReactElement {
  const { interrupts, submit } = given;
  const [entries, setEntries] = useState<ReadonlyMap<string, ResumeEntry>>(new Map());
  const [error, setError] = useState<HoldpointError>();
  if (typeof customElements !== 'undefined') defineElements();
  const send = async (all: ReadonlyMap<string, ResumeEntry>) => {
    setEntries(all);
    setError(undefined);
    const answers = interrupts.flatMap(({ id }) => all.get(id) ?? []);
    if (answers.length < interrupts.length) return;
    const failure = await submit(answers).then(
      // The library takes the card of an accepted answer away. A card that stays was refused, and CopilotKit ignores a
      // second answer to it, so the card says that the page has to be loaded again.
      () => new HoldpointError('INTERRUPT_UNKNOWN', 'The library accepts no further answer.'),
      (cause: unknown) =>
        HoldpointError.is(cause) ? cause : new HoldpointError('RUN_LOST', messageOf(cause), { cause }),
    );
    setError(failure);
  };
  const statusOf = (id: string): CardStatus => {
    const entry = entries.get(id);
    if (entry === undefined) return { state: 'open' };
    if (error !== undefined) return { state: 'failed', entry, error };
    return { state: entries.size < interrupts.length ? 'staged' : 'sending', entry };
  };
  const cards = interrupts.map((interrupt) =>
    createElement(InterruptElement, {
      key: interrupt.id,
      interrupt,
      status: statusOf(interrupt.id),
      drafts: browserStorage(),
      onAnswer: ({ detail }) => void send(new Map(entries).set(interrupt.id, detail.entry)),
      onRetry: () => void send(entries),
    }),
  );
  return createElement(Fragment, null, cards);
}
