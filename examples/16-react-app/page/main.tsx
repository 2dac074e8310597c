/** The page: the thread id is in its URL, so that a reload or another person opens the same thread. */
import { createRoot } from 'react-dom/client';
import { createClient } from 'holdpoint/client';
import { Chat } from './chat.tsx';

const client = createClient({ url: '/agents/garden', storage: localStorage });
const known = location.hash.slice(1);
const threadId = known || crypto.randomUUID();
location.hash = threadId;
// Load the thread from the server; errors are in the thread's snapshot.
if (known !== '') client.connect(threadId).finished.catch(() => undefined);

const root = document.querySelector('#app');
if (root !== null) createRoot(root).render(<Chat client={client} threadId={threadId} />);
