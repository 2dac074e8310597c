/** CopilotKit with its first API and its first chat, through its runtime. */
import {
  CopilotKit,
  useCopilotAction,
  useHumanInTheLoop,
  useLangGraphInterrupt,
} from '@copilotkit/react-core';
import { CopilotChat } from '@copilotkit/react-ui';
import type { JSX } from 'react';
import { createRoot } from 'react-dom/client';
import type { ShownInterrupt } from './card.tsx';
import { agentId, Card, runtimeUrl, threadId } from './card.tsx';

/** An approval in the form `on_interrupt`, which asks one at a time. */
interface EarlierApproval {
  readonly interruptId: string;
  readonly functionArguments: { readonly amount: number };
}

function toInterrupt(value: ShownInterrupt | EarlierApproval): ShownInterrupt {
  if ('id' in value) return value;
  const { interruptId, functionArguments } = value;
  return {
    id: interruptId,
    message: `Pay ${functionArguments.amount}?`,
    responseSchema: { properties: { approved: { type: 'boolean' } } },
  };
}

function Tools(): null {
  useLangGraphInterrupt<ShownInterrupt | EarlierApproval>({
    agentId,
    render: ({ event, resolve }) => {
      const interrupt = toInterrupt(event.value);
      return (
        <Card key={interrupt.id} interrupt={interrupt} onAnswer={(payload: string) => resolve(payload)} />
      );
    },
  });
  useCopilotAction({
    name: 'setColour',
    description: 'Sets the colour of the page.',
    parameters: [{ name: 'colour', type: 'string', required: true }],
    handler: async ({ colour }) => {
      document.body.dataset['colour'] = colour;
      return `the page is ${colour}`;
    },
  });
  useHumanInTheLoop({
    name: 'pickTime',
    description: 'Asks for a time.',
    parameters: [{ name: 'day', type: 'string', required: true }],
    render: ({ status, respond }) =>
      status === 'executing' ? <button onClick={() => respond?.('at noon')}>Noon</button> : <i>{status}</i>,
  });
  return null;
}

function Page(): JSX.Element {
  return (
    <CopilotKit runtimeUrl={runtimeUrl ?? ''} agent={agentId} threadId={threadId} showDevConsole={false}>
      <Tools />
      <CopilotChat />
    </CopilotKit>
  );
}

createRoot(document.querySelector('main')!).render(<Page />);
