import { createElement, Fragment } from 'react';
import { renderToString } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { createClient } from '../client/index.ts';
import { stubPage } from '../elements/testing-support/stub-page.ts';
import { createSharedStores } from './shared-stores.ts';
import { Chat, HoldpointProvider, Inbox, useInbox, useInterrupt, useInterrupts, useThread } from './index.ts';

/** A host with one open interrupt in each of three threads. */
function hostOfThree() {
  const streams: ReadableStreamDefaultController<Uint8Array>[] = [];
  const loads: string[] = [];
  let open = ['t1', 't2', 't3'];
  const itemOf = (threadId: string) => ({
    threadId,
    interrupt: { id: `i-${threadId}`, reason: 'confirmation' },
    status: open.includes(threadId) ? 'pending' : 'resolved',
  });
  const page = () => ({ interrupts: open.map(itemOf) });
  const send = (stream: ReadableStreamDefaultController<Uint8Array>) =>
    stream.enqueue(new TextEncoder().encode(`event: interrupts\ndata: ${JSON.stringify(page())}\n\n`));
  const client = createClient({
    url: 'http://host.test/agents/a',
    fetch: (url) => {
      const { pathname } = new URL(String(url));
      const [, thread] = /^\/threads\/(\w+)\/interrupts/.exec(pathname) ?? [];
      if (thread !== undefined) {
        loads.push(thread);
        return Promise.resolve(Response.json(itemOf(thread)));
      }
      if (!pathname.endsWith('/events')) return Promise.resolve(Response.json(page()));
      const start = (stream: ReadableStreamDefaultController<Uint8Array>) => {
        streams.push(stream);
        send(stream);
      };
      const cancel = () => void streams.pop();
      const headers = { 'content-type': 'text/event-stream' };
      return Promise.resolve(new Response(new ReadableStream({ start, cancel }), { headers }));
    },
  });
  const answer = (thread: string) => {
    open = open.filter((one) => one !== thread);
    for (const stream of streams) send(stream);
  };
  return { client, streams, loads, answer };
}

describe('the stores of a provider', () => {
  stubPage();

  it('the stores of several interrupts share one stream, and only the one that changes is loaded again', async () => {
    const { client, streams, loads, answer } = hostOfThree();
    const stores = createSharedStores(client);
    const requests = ['t1', 't2', 't3'].map((thread) => stores.request(thread, `i-${thread}`));
    const leaves = requests.map(({ subscribe }) => subscribe(() => undefined));
    const statusOf = (index: number) => requests[index]?.getSnapshot().item?.['status'];
    await expect.poll(() => [0, 1, 2].map(statusOf)).toEqual(['pending', 'pending', 'pending']);
    await expect.poll(() => streams.length).toBe(1);
    await expect.poll(() => loads.length).toBe(6);
    answer('t2');
    await expect.poll(() => statusOf(1)).toBe('resolved');
    answer('t3');
    await expect.poll(() => statusOf(2)).toBe('resolved');
    expect(loads.slice(6)).toEqual(['t2', 't3']);
    expect(streams).toHaveLength(1);
    for (const leave of leaves) leave();
    await expect.poll(() => streams).toEqual([]);
  });
});

describe('holdpoint/react on a server', () => {
  it('renders without a request, with empty stores', () => {
    const requests: string[] = [];
    const client = createClient({
      url: 'http://host.test/agents/a',
      fetch: (url) => {
        requests.push(String(url));
        return Promise.reject(new Error('A server sends no request.'));
      },
    });
    const Facts = () => {
      const { status, messages } = useThread('t');
      const { items } = useInbox();
      const counts = [messages.length, items.length, useInterrupts('t').length];
      return createElement('p', null, status, counts.join(), String(useInterrupt('t', 'i')));
    };
    const page = createElement(
      Fragment,
      null,
      createElement(Chat),
      createElement(Inbox),
      createElement(Facts),
    );
    const html = renderToString(createElement(HoldpointProvider, { client }, page));
    expect(html).toContain('<holdpoint-chat></holdpoint-chat>');
    expect(html).toContain('<holdpoint-inbox></holdpoint-inbox>');
    expect(html.replaceAll('<!-- -->', ' ')).toContain('<p>idle 0,0,0 undefined</p>');
    expect(requests).toEqual([]);
  });

  it('renders with the address of an agent, and names the missing provider', () => {
    const chat = createElement(Chat, { threadId: 't' });
    expect(renderToString(createElement(HoldpointProvider, { url: '/agents/a' }, chat))).toContain(
      'holdpoint-chat',
    );
    expect(() => renderToString(chat)).toThrow('Put a HoldpointProvider above this component.');
    expect(() => renderToString(createElement(HoldpointProvider, {}, chat))).toThrow(
      'needs a url or a client',
    );
  });
});
