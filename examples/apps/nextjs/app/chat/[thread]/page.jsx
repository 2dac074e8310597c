import { Chat, HoldpointProvider } from 'holdpoint/react';

export default async function Page({ params }) {
  const { thread } = await params;
  return (
    <HoldpointProvider url="/api/agents/assistant">
      <Chat threadId={thread} agent="Paymaster" suggestions={['send 10 to Ana']} />
    </HoldpointProvider>
  );
}
