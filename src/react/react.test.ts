import { createElement, Fragment } from 'react';
import { renderToString } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { createClient } from '../client/index.ts';
import { Chat, HoldpointProvider, Inbox, useInbox, useInterrupt, useInterrupts, useThread } from './index.ts';

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
