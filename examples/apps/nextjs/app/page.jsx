import { redirect } from 'next/navigation';

/** A new conversation gets its address at once. */
export default function Page() {
  redirect(`/chat/${crypto.randomUUID()}`);
}

export const dynamic = 'force-dynamic';
