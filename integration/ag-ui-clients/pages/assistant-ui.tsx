/** assistant-ui: its own Allow and Deny for plain approvals, a card for every other interrupt. */
import { HttpAgent } from '@ag-ui/client';
import type { ToolCallMessagePartProps } from '@assistant-ui/react';
import {
  AssistantRuntimeProvider,
  ComposerPrimitive,
  ExportedMessageRepository,
  makeAssistantTool,
  MessagePrimitive,
  ThreadPrimitive,
} from '@assistant-ui/react';
import {
  fromAgUiMessages,
  useAgUiInterrupts,
  useAgUiRuntime,
  useAgUiSubmitInterruptResponses,
} from '@assistant-ui/react-ag-ui';
import type { JSX } from 'react';
import { useState } from 'react';
import { createRoot } from 'react-dom/client';
import { z } from 'zod';
import { holdpointAgent } from '../../../src/adapters/ag-ui/index.ts';
import { AssistantUiInterrupts } from '../../../src/react/index.ts';
import { Card, threadId, usesHoldpointCards } from './card.tsx';

const HoldpointAgent = holdpointAgent(HttpAgent);
const agent = new HoldpointAgent({ url: '/agents/assistant', threadId });
const history = {
  async load() {
    await agent.connectAgent();
    return ExportedMessageRepository.fromArray(fromAgUiMessages(agent.messages));
  },
  // The host stores the thread.
  async append() {},
};

const SetColour = makeAssistantTool({
  toolName: 'setColour',
  type: 'frontend',
  description: 'Sets the colour of the page.',
  parameters: z.object({ colour: z.string() }),
  execute: async ({ colour }) => {
    document.body.dataset['colour'] = colour;
    return `the page is ${colour}`;
  },
});

const PickTime = makeAssistantTool<{ day: string }, string>({
  toolName: 'pickTime',
  type: 'human',
  description: 'Asks for a time.',
  parameters: z.object({ day: z.string() }),
  render: ({ result, addResult }) =>
    result === undefined ? <button onClick={() => addResult('at noon')}>Noon</button> : <i>complete</i>,
});

/** A tool call; with two buttons when it waits for an approval that assistant-ui can give. */
function ToolCall({ toolName, approval, respondToApproval }: ToolCallMessagePartProps): JSX.Element {
  const isOpen =
    !usesHoldpointCards &&
    approval !== undefined &&
    approval.approved === undefined &&
    approval.resolution === undefined;
  const respond = async (response: Parameters<typeof respondToApproval>[0]) => {
    try {
      await respondToApproval(response);
    } catch {
      // assistant-ui rejects the second of two clicks.
    }
  };
  return (
    <section className={isOpen ? 'hp-card' : 'call'}>
      <p>{approval?.prompt ?? toolName}</p>
      {isOpen && (
        <>
          <button onClick={() => void respond({ approved: true })}>Approve</button>
          <button onClick={() => void respond({ approved: false, reason: 'too much' })}>Reject</button>
        </>
      )}
    </section>
  );
}

/** A card for each interrupt, unless the tool calls show them all; answers are sent together. */
function Interrupts(): JSX.Element {
  const interrupts = useAgUiInterrupts();
  const submit = useAgUiSubmitInterruptResponses();
  const isNative = interrupts.every(({ reason }) => reason === 'tool_call');
  const [answers, setAnswers] = useState<Readonly<Record<string, unknown>>>({});
  const answer = (id: string, payload: unknown) => {
    const all = { ...answers, [id]: payload };
    setAnswers(all);
    if (!interrupts.every((interrupt) => interrupt.id in all)) return;
    const entries = interrupts.map((interrupt) => ({
      interruptId: interrupt.id,
      status: 'resolved' as const,
      payload: all[interrupt.id],
    }));
    submit(entries).catch(() => undefined);
  };
  return (
    <>
      {(isNative ? [] : interrupts).map((interrupt) => (
        <Card
          key={interrupt.id}
          interrupt={interrupt}
          onAnswer={(payload) => answer(interrupt.id, payload)}
        />
      ))}
    </>
  );
}

function HoldpointCards(): JSX.Element {
  return (
    <AssistantUiInterrupts interrupts={useAgUiInterrupts()} submit={useAgUiSubmitInterruptResponses()} />
  );
}

function Message(): JSX.Element {
  return (
    <MessagePrimitive.Root>
      <MessagePrimitive.Parts components={{ tools: { Fallback: ToolCall } }} />
    </MessagePrimitive.Root>
  );
}

function Page(): JSX.Element {
  const [error, setError] = useState('');
  const runtime = useAgUiRuntime({
    agent,
    adapters: { history },
    onError: ({ message }) => setError(message),
  });
  return (
    <AssistantRuntimeProvider runtime={runtime}>
      <SetColour />
      <PickTime />
      <ThreadPrimitive.Root>
        <ThreadPrimitive.Messages components={{ Message }} />
        {usesHoldpointCards ? <HoldpointCards /> : <Interrupts />}
        <p role="alert">{error}</p>
        <ComposerPrimitive.Root>
          <ComposerPrimitive.Input />
        </ComposerPrimitive.Root>
      </ThreadPrimitive.Root>
    </AssistantRuntimeProvider>
  );
}

createRoot(document.querySelector('main')!).render(<Page />);
