/** The page: the thread is in its address, so that a reload, or somebody else, comes back to the same questions. */
import { createRoot } from 'react-dom/client';
import { createClient } from 'holdpoint/client';
import { Chat } from './chat.tsx';

const client = createClient({ url: '/agents/garden', storage: localStorage });
const known = location.hash.slice(1);
const threadId = known || crypto.randomUUID();
location.hash = threadId;
// What the server knows is shown; what goes wrong is in the thread's snapshot.
if (known !== '') client.connect(threadId).finished.catch(() => undefined);

const root = document.querySelector('#app');
if (root !== null) createRoot(root).render(<Chat client={client} threadId={threadId} />);
