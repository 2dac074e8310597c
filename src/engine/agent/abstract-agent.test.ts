import type { AgentConfig, BaseEvent, RunAgentInput as OfficialInput } from '@ag-ui/client';
import { AbstractAgent } from '@ag-ui/client';
import { Observable } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { RunAgentInput } from '../../protocol/index.ts';
import type { AbstractAgentLike } from './abstract-agent.ts';
import { abstractThreadId, runAbstractAgent } from './abstract-agent.ts';

/** Keeps the words of its run in itself, as `LangGraphAgent` does, and says them after a turn of the event loop. */
class Stateful extends AbstractAgent {
  words = '';
  active = 0;
  most = 0;
  aborted = 0;
  readonly log: string[] = [];

  override run(input: OfficialInput): Observable<BaseEvent> {
    return new Observable<BaseEvent>((subscriber) => {
      this.active += 1;
      this.most = Math.max(this.most, this.active);
      this.words = String(input.messages.at(-1)?.content);
      const { threadId, runId } = input;
      const say = (event: object) => subscriber.next(event as BaseEvent);
      say({ type: 'RUN_STARTED', threadId, runId });
      const timer = setTimeout(() => {
        say({ type: 'TEXT_MESSAGE_START', messageId: runId, role: 'assistant' });
        say({ type: 'TEXT_MESSAGE_CONTENT', messageId: runId, delta: this.words });
        say({ type: 'TEXT_MESSAGE_END', messageId: runId });
        if (this.words === 'wait') return;
        say({ type: 'RUN_FINISHED', threadId, runId });
        subscriber.complete();
      });
      return () => {
        clearTimeout(timer);
        this.active -= 1;
        this.log.push(`left ${runId}`);
      };
    });
  }

  override abortRun(): void {
    this.aborted += 1;
  }
}

class Cloneable extends Stateful {
  override clone(): Cloneable {
    return Object.assign(super.clone() as Cloneable, {
      words: '',
      active: 0,
      most: 0,
      aborted: 0,
      log: this.log,
    });
  }
}

const input = (runId: string): RunAgentInput => ({
  threadId: 't',
  runId,
  state: {},
  messages: [{ id: `m-${runId}`, role: 'user', content: runId }],
  tools: [],
  context: [],
  forwardedProps: {},
});

async function wordsOf(agent: AbstractAgentLike, runId: string, options = {}): Promise<string> {
  let words = '';
  for await (const event of runAbstractAgent(agent, input(runId), options)) {
    if (event.type === 'TEXT_MESSAGE_CONTENT') words += event.delta;
  }
  return words;
}

const NAMES = ['ana', 'bob', 'cid', 'dan'];

describe('runAbstractAgent', () => {
  it.each([
    ['an instance of a class with its own clone()', () => new Cloneable()],
    ['an instance of a class without its own clone()', () => new Stateful()],
  ])('gives each of several runs at once its own words: %s', async (_what, make) => {
    const agent = make();
    expect(await Promise.all(NAMES.map((name) => wordsOf(agent, name)))).toEqual(NAMES);
  });

  it('runs an instance whose class has no own clone() one at a time, and goes on after a failed run', async () => {
    const agent = new Stateful();
    agent.use((given, next) => {
      if (given.runId === 'bob') throw new Error('no');
      return next.run(given);
    });
    const runs = await Promise.allSettled(NAMES.map((name) => wordsOf(agent, name)));
    expect(runs.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
    expect(agent.most).toBe(1);
  });

  it('runs the middleware of the agent', async () => {
    const seen: string[] = [];
    const agent = new Cloneable();
    agent.use((given, next) => {
      seen.push(given.runId);
      return next.run(given);
    });
    await wordsOf(agent, 'ana');
    expect(seen).toEqual(['ana']);
  });

  it('a cancelled run is aborted and unsubscribed upstream, and the next run begins', async () => {
    const agent = new Stateful();
    const stop = new AbortController();
    const events = runAbstractAgent(agent, input('wait'), { signal: stop.signal });
    let types = 0;
    while (types < 3) {
      await events.next();
      types += 1;
    }
    const next = wordsOf(agent, 'ana');
    stop.abort();
    await events.return();
    expect([agent.aborted, agent.log]).toEqual([1, ['left wait']]);
    expect(await next).toBe('ana');
  });

  it('a run that is cancelled while it waits for its turn does not reach the agent', async () => {
    const agent = new Stateful();
    const [first, stop] = [new AbortController(), new AbortController()];
    const running = runAbstractAgent(agent, input('wait'), { signal: first.signal });
    await running.next();
    const waiting = wordsOf(agent, 'bob', { signal: stop.signal });
    stop.abort();
    expect(await waiting).toBe('');
    first.abort();
    await running.return();
    expect(agent.log).toEqual(['left wait']);
  });

  it('does not abort a run that has ended', async () => {
    const agent = new Stateful();
    for await (const event of runAbstractAgent(agent, input('ana'), {})) {
      if (event.type === 'RUN_FINISHED') break;
    }
    expect(agent.aborted).toBe(0);
  });

  it('does not reject a new thread for the open interrupts of another', async () => {
    const agent = new Stateful({ agentId: 'x' } satisfies AgentConfig);
    agent.pendingInterrupts = [{ id: 'i', reason: 'tool_call' }];
    expect(await wordsOf(agent, 'ana')).toBe('ana');
  });
});

describe('abstractThreadId', () => {
  it('is a UUID that differs between tenants and threads, and is always the same', () => {
    const ids = [
      { scope: 'a', thread: 't' },
      { scope: 'b', thread: 't' },
      { scope: 'a', thread: 'u' },
      { scope: 'a', thread: 't' },
    ].map(abstractThreadId);
    expect(new Set(ids).size).toBe(3);
    expect(ids[3]).toBe(ids[0]);
    for (const id of ids)
      expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  });
});
