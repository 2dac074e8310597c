import { createRoot } from 'react-dom/client';
import { StrictMode } from 'react';
import { Chat, HoldpointProvider, InterruptCard, useInterrupts } from '../../src/react/index.ts';

function Cards() {
  return (
    <aside>
      {useInterrupts('eighteen').map((card) => (
        <InterruptCard key={card.id} card={card} />
      ))}
    </aside>
  );
}

createRoot(document.body).render(
  <StrictMode>
    <HoldpointProvider url="/agents/assistant">
      {location.hash === '#cards' ? <Cards /> : <Chat threadId="eighteen" />}
    </HoldpointProvider>
  </StrictMode>,
);
