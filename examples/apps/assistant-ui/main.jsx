import { useState } from 'react';
import { createRoot } from 'react-dom/client';
import { HttpAgent } from '@ag-ui/client';
import {
  AssistantRuntimeProvider,
  ComposerPrimitive,
  ExportedMessageRepository,
  MessagePrimitive,
  ThreadPrimitive,
} from '@assistant-ui/react';
import {
  fromAgUiMessages,
  useAgUiInterrupts,
  useAgUiRuntime,
  useAgUiSubmitInterruptResponses,
} from '@assistant-ui/react-ag-ui';
import { holdpointAgent } from 'holdpoint/ag-ui';
import { AssistantUiInterrupts } from 'holdpoint/react';
import 'holdpoint/elements.css';
import './page.css';

// The thread is in the address, so that a reload, a second tab or another person opens the same one.
if (location.hash === '') location.hash = crypto.randomUUID();

const HoldpointAgent = holdpointAgent(HttpAgent);
const agent = new HoldpointAgent({ url: '/agents/assistant', threadId: location.hash.slice(1) });
/** Loads the thread from the host, which also stores it. */
const history = {
  async load() {
    await agent.connectAgent();
    return ExportedMessageRepository.fromArray(fromAgUiMessages(agent.messages));
  },
  async append() {},
};

function Cards() {
  return (
    <AssistantUiInterrupts interrupts={useAgUiInterrupts()} submit={useAgUiSubmitInterruptResponses()} />
  );
}

function Message() {
  return (
    <MessagePrimitive.Root className="message">
      <MessagePrimitive.Parts components={{ tools: { Fallback: ToolCall } }} />
    </MessagePrimitive.Root>
  );
}

/** The card shows what a call wants to do, so the call is one line. */
function ToolCall({ toolName }) {
  return <p className="call">{toolName}</p>;
}

function App() {
  const [error, setError] = useState('');
  const runtime = useAgUiRuntime({
    agent,
    adapters: { history },
    onError: ({ message }) => setError(message),
  });
  return (
    <AssistantRuntimeProvider runtime={runtime}>
      <ThreadPrimitive.Root className="thread">
        <ThreadPrimitive.Viewport className="messages">
          <ThreadPrimitive.Messages components={{ Message }} />
          <Cards />
          <p role="alert">{error}</p>
        </ThreadPrimitive.Viewport>
        <ComposerPrimitive.Root className="composer">
          <ComposerPrimitive.Input aria-label="Message" placeholder="send 10 to Ana" />
          <ComposerPrimitive.Send>Send</ComposerPrimitive.Send>
        </ComposerPrimitive.Root>
      </ThreadPrimitive.Root>
    </AssistantRuntimeProvider>
  );
}

createRoot(document.getElementById('app')).render(<App />);
