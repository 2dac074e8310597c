/** CopilotKit with its current API: the page talks to the host itself, or through the runtime of CopilotKit. */
import type { InterruptRenderProps } from '@copilotkit/react-core/v2';
import {
  CopilotChat,
  CopilotKitProvider,
  HttpAgent,
  useFrontendTool,
  useHumanInTheLoop,
  useInterrupt,
} from '@copilotkit/react-core/v2';
import type { JSX } from 'react';
import { createRoot } from 'react-dom/client';
import { z } from 'zod';
import { holdpointAgent } from '../../../src/adapters/ag-ui/index.ts';
import { copilotInterruptRenderer } from '../../../src/react/index.ts';
import { Card, runtimeUrl, threadId, usesHoldpointCards } from './card.tsx';

const HoldpointAgent = holdpointAgent(HttpAgent);

function renderCards({ interrupts, resolve }: InterruptRenderProps): JSX.Element {
  return (
    <div>
      {interrupts.map((interrupt) => (
        <Card
          key={interrupt.id}
          interrupt={interrupt}
          onAnswer={(payload) => void resolve(payload, interrupt.id)}
        />
      ))}
    </div>
  );
}

function Tools(): null {
  useInterrupt({
    agentId: 'assistant',
    render: usesHoldpointCards ? copilotInterruptRenderer() : renderCards,
  });
  useFrontendTool({
    name: 'setColour',
    description: 'Sets the colour of the page.',
    parameters: z.object({ colour: z.string() }),
    handler: async ({ colour }) => {
      document.body.dataset['colour'] = colour;
      return `the page is ${colour}`;
    },
  });
  useHumanInTheLoop({
    name: 'pickTime',
    description: 'Asks for a time.',
    parameters: z.object({ day: z.string() }),
    render: ({ status, respond }) =>
      status === 'executing' ? (
        <button onClick={() => void respond('at noon')}>Noon</button>
      ) : (
        <i>{status}</i>
      ),
  });
  return null;
}

const agents = { assistant: new HoldpointAgent({ url: '/agents/assistant', agentId: 'assistant' }) };
const connection = runtimeUrl === undefined ? { agents__unsafe_dev_only: agents } : { runtimeUrl };

function Page(): JSX.Element {
  return (
    <CopilotKitProvider {...connection}>
      <Tools />
      <CopilotChat agentId="assistant" threadId={threadId} />
    </CopilotKitProvider>
  );
}

createRoot(document.querySelector('main')!).render(<Page />);
