import { createRoot } from 'react-dom/client';
import { Chat, HoldpointProvider } from 'holdpoint/react';
import 'holdpoint/elements.css';
import './page.css';

// The thread is in the address, so that a reload, a second tab or another person opens the same one.
if (location.hash === '') location.hash = crypto.randomUUID();

createRoot(document.getElementById('app')).render(
  <HoldpointProvider url="/agents/assistant">
    <Chat threadId={location.hash.slice(1)} agent="Paymaster" suggestions={['send 10 to Ana']} />
  </HoldpointProvider>,
);
