import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { runs } from '../../../test/size.ts';
import { answer, approve, cancel, reject } from '../../content/interrupts/index.ts';
import type { Message, ResumeEntry } from '../../protocol/index.ts';
import { scriptedModel } from '../../testing/index.ts';
import type { GenerateResponse, InterruptPart, Tool, ToolContext } from '../index.ts';
import { defineAgent, defineInterrupt, defineTool } from '../index.ts';

/** The kinds of calls in a turn, and the possible answers to each. */
const KINDS = [
  'plain',
  'throws',
  'client',
  'approval',
  'respond',
  'restart',
  'ask',
  'asks2',
  'unknown',
  'invalid',
] as const;
type Kind = (typeof KINDS)[number];
type Said = 'yes' | 'no' | 'cancel';

interface Planned {
  readonly kind: Kind;
  readonly said: Said;
}

/** The expected result of a call, computed without the engine. */
function expectedOf({ kind, said }: Planned, n: number): { readonly runs: number; readonly result: string } {
  const cancelled = { runs: 0, result: 'Cancelled: nobody answered.' };
  switch (kind) {
    case 'plain':
      return { runs: 1, result: `plain ${n}` };
    case 'throws':
      return { runs: 1, result: 'throws failed: always' };
    case 'client':
      return { runs: 0, result: `client ${n}` };
    case 'unknown':
      return { runs: 0, result: 'There is no tool unknown.' };
    case 'invalid':
      return { runs: 0, result: 'The arguments of plain are not valid' };
    case 'approval':
      if (said === 'cancel') return cancelled;
      return said === 'yes'
        ? { runs: 1, result: `approval ${n}` }
        : { runs: 0, result: 'Tool call invocation rejected.' };
    case 'respond':
      return said === 'cancel' ? cancelled : { runs: 0, result: said };
    case 'restart':
      return said === 'cancel' ? cancelled : { runs: 1, result: `restart ${said}` };
    case 'ask':
      return said === 'cancel' ? cancelled : { runs: 1, result: `ask ${said}` };
    case 'asks2':
      return said === 'cancel' ? cancelled : { runs: 1, result: `asks2 ${said} ${said}` };
  }
}

function world(plan: readonly Planned[]) {
  const effects = new Map<number, number>();
  const effect = (n: number) => effects.set(n, (effects.get(n) ?? 0) + 1);
  const input = z.object({ n: z.number() });
  const tool = (name: string, run: (n: number, ctx: ToolContext) => unknown, approval = false) =>
    defineTool({ name, description: '', input, approval, run: ({ n }, ctx) => run(n, ctx) });
  const tools: Tool[] = [
    tool('plain', (n) => (effect(n), `plain ${n}`)),
    tool('throws', (n) => {
      effect(n);
      throw new Error('always');
    }),
    tool('approval', (n) => (effect(n), `approval ${n}`), true),
    defineInterrupt({ name: 'respond', description: '', input, response: z.string() }),
    tool('restart', (n, ctx) => {
      if (ctx.resumed === undefined) return ctx.interrupt();
      effect(n);
      return `restart ${String(ctx.resumed)}`;
    }),
    tool('ask', async (n, ctx) => {
      const value = await ctx.ask('value', { schema: z.string() });
      await ctx.step('effect', () => effect(n));
      return `ask ${value}`;
    }),
    tool('asks2', async (n, ctx) => {
      const first = await ctx.ask('first', { schema: z.string() });
      await ctx.step('effect', () => effect(n));
      const second = await ctx.ask('second', { schema: z.string() });
      return `asks2 ${first} ${second}`;
    }),
  ];
  const calls = plan.map(({ kind }, n) => ({
    id: `c${n}`,
    name: kind === 'invalid' ? 'plain' : kind,
    input: kind === 'invalid' ? { n: 'x' } : { n },
  }));
  const agent = () =>
    defineAgent({
      id: 'a',
      model: scriptedModel((request) =>
        request.messages.some(({ role }) => role === 'tool') ? 'done' : { calls },
      ),
      tools,
    });
  return { agent, effects };
}

function answerTo(part: InterruptPart, plan: readonly Planned[]): ResumeEntry {
  const { said } = plan[Number(part.toolCallId?.slice(1))]!;
  if (said === 'cancel') return cancel(part);
  if (part.kind === 'approval') return said === 'yes' ? approve(part) : reject(part);
  return answer(part, said);
}

const clientTools = [{ name: 'client', description: 'mine', parameters: {} }];
const throughJson = (messages: readonly Message[]): Message[] => JSON.parse(JSON.stringify(messages));

describe('a turn of random calls with random answers', () => {
  it('runs each call at most once and gives each a result, in order', async () => {
    const planned = fc.record({
      kind: fc.constantFrom(...KINDS),
      said: fc.constantFrom<Said>('yes', 'no', 'cancel'),
    });
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(
        fc.array(planned, { minLength: 1, maxLength: 7 }),
        fc.boolean(),
        async (plan, together) => {
          const { agent, effects } = world(plan);
          let response: GenerateResponse = await agent().generate({ prompt: 'go', clientTools });
          let rounds = 0;
          while (response.finishReason === 'interrupted' || response.finishReason === 'tool-calls') {
            rounds += 1;
            expect(rounds).toBeLessThan(6);
            const results = response.toolRequests
              .filter(({ function: { name } }) => name === 'client')
              .filter(() => response.finishReason === 'tool-calls' || together)
              .map(({ id }): Message => ({
                id: `r-${id}`,
                role: 'tool',
                toolCallId: id,
                content: `client ${id.slice(1)}`,
              }));
            const messages = [...throughJson(response.messages), ...results];
            const resume = response.interrupts.map((part) => answerTo(part, plan));
            const all = resume.length > 0 && resume.every(({ status }) => status === 'cancelled');
            response = await agent().generate({
              messages,
              clientTools,
              ...(resume.length > 0 ? { resume } : {}),
              // After a cancellation of all interrupts, the model is called only for a new message.
              ...(all ? { prompt: 'go on' } : {}),
            });
          }
          expect(response.finishReason).toBe('stop');
          const tools = response.messages.filter((message) => message.role === 'tool');
          expect(tools.map(({ toolCallId }) => toolCallId).toSorted()).toEqual(
            plan.map((_, n) => `c${n}`).toSorted(),
          );
          plan.forEach((item, n) => {
            seen.add(`${item.kind} ${item.said}`);
            const { runs, result } = expectedOf(item, n);
            const message = tools.find(({ toolCallId }) => toolCallId === `c${n}`);
            expect([item, String(message?.content).slice(0, result.length)]).toEqual([item, result]);
            expect([item, effects.get(n) ?? 0]).toEqual([item, runs]);
          });
          const ours = tools
            .map(({ toolCallId }) => toolCallId)
            .filter((id) => plan[Number(id.slice(1))]?.kind !== 'client');
          expect(ours).toEqual(ours.toSorted((a, b) => Number(a.slice(1)) - Number(b.slice(1))));
        },
      ),
      { numRuns: runs(80) },
    );
    expect(seen.size).toBe(KINDS.length * 3);
  });
});
