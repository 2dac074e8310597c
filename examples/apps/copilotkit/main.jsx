import { useState } from 'react';
import { createRoot } from 'react-dom/client';
import { CopilotChat, CopilotKitProvider, HttpAgent, useInterrupt } from '@copilotkit/react-core/v2';
import { holdpointAgent } from 'holdpoint/ag-ui';
import { copilotInterruptRenderer } from 'holdpoint/react';
import '@copilotkit/react-core/v2/styles.css';
import 'holdpoint/elements.css';
import './page.css';

// The thread is in the address, so that a reload, a second tab or another person opens the same one.
if (location.hash === '') location.hash = crypto.randomUUID();

const HoldpointAgent = holdpointAgent(HttpAgent);
const agents = { assistant: new HoldpointAgent({ url: '/agents/assistant', agentId: 'assistant' }) };
const render = copilotInterruptRenderer();

/** The chat shows the cards between its messages. */
function Cards() {
  useInterrupt({ agentId: 'assistant', render });
  return null;
}

function App() {
  const [error, setError] = useState('');
  return (
    <CopilotKitProvider selfManagedAgents={agents} onError={({ error }) => setError(error.message)}>
      <Cards />
      <p role="alert">{error}</p>
      <CopilotChat agentId="assistant" threadId={location.hash.slice(1)} />
    </CopilotKitProvider>
  );
}

createRoot(document.getElementById('app')).render(<App />);
