/** What the crash tests do over and over: one thread with everything in it that can be interrupted. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { answer, approve, defineAgent, defineTool } from 'holdpoint';
import type { GenerateResponse, GeneratingAgent, InterruptPart } from 'holdpoint';
import { scriptedModel } from 'holdpoint/testing';

/** What happened in the world outside, which no database knows of: one line for each thing that was done. */
export interface World {
  did(what: string): void;
  readonly deeds: readonly string[];
}

export function openWorld(path: string): World {
  return {
    did: (what) => appendFileSync(path, `${what}\n`),
    get deeds() {
      return existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : [];
    },
  };
}

/** The things that must have happened once for each finished thread. */
export const ONCE = ['transfer', 'create', 'subscribe', 'charge'] as const;

/** A turn: several calls at once, then one that nobody has to approve, then the end. */
export function bankAgent(world: World): GeneratingAgent {
  const transfer = defineTool({
    name: 'transfer',
    description: 'Cannot be undone, wants an approval.',
    input: { type: 'object' },
    approval: true,
    run: (_input, { threadId }) => (world.did(`transfer ${threadId}`), 'sent'),
  });
  const note = defineTool({
    name: 'note',
    description: 'May be done again.',
    input: { type: 'object' },
    idempotent: true,
    run: (_input, { threadId }) => (world.did(`note ${threadId}`), 'noted'),
  });
  const charge = defineTool({
    name: 'charge',
    description: 'Cannot be undone, wants no approval.',
    input: { type: 'object' },
    run: (_input, { threadId }) => (world.did(`charge ${threadId}`), 'charged'),
  });
  const onboard = defineTool({
    name: 'onboard',
    description: 'Asks twice, and does something after each answer.',
    input: { type: 'object' },
    async run(_input, { ask, step, threadId }) {
      const name = await ask('name', { message: 'Who?' });
      await step('create', () => (world.did(`create ${threadId}`), { name }));
      const plan = await ask('plan', { message: 'Which plan?' });
      await step('subscribe', () => (world.did(`subscribe ${threadId}`), { plan }));
      return `${String(name)} has ${String(plan)}`;
    },
  });
  const model = scriptedModel(({ messages }) => {
    const called = messages.filter(({ role }) => role === 'tool').length;
    if (called === 0) {
      const names = ['transfer', 'note', 'onboard'];
      return { calls: names.map((name) => ({ id: `${name}-call`, name })) };
    }
    return called === 3 ? { calls: [{ id: 'charge-call', name: 'charge' }] } : 'All done.';
  });
  return defineAgent({ id: 'bank', model, tools: [transfer, note, charge, onboard] });
}

/** How the person answers: yes, a text, and of what is in doubt what the world says. */
export function answerTo({ kind, toolName, interrupt }: InterruptPart, threadId: string, world: World) {
  if (kind === 'approval') return approve(interrupt);
  if (kind === 'ask') return answer(interrupt, 'text');
  const step = /its step (\w+)/.exec(interrupt.message ?? '')?.[1];
  const happened = world.deeds.includes(`${step ?? toolName} ${threadId}`);
  return answer(interrupt, happened ? { action: 'finished', result: 'found done' } : { action: 'retry' });
}

/** Whether a question is about something that nobody knew the end of. */
export function isInDoubt({ interrupt }: InterruptPart): boolean {
  return interrupt.reason === 'error_recovery';
}

/** The call, or the step of a call, that such a question is about, as the executions of the thread know it. */
export function doubtedExecution({ toolCallId = '', interrupt }: InterruptPart): string {
  const step = /its step (\S+) was/.exec(interrupt.message ?? '')?.[1];
  return step === undefined ? toolCallId : `${toolCallId}/step:${step}`;
}

/** Why a question about something in doubt should not have been asked, by what the dead process had left. */
export function needlessDoubt(about: string, left: readonly string[]): string | undefined {
  if (about.startsWith('note-call')) return 'may be done again';
  if (left.includes(about)) return 'had come to its end';
  if (!left.includes(`!${about}`)) return 'had not begun';
  const hasSteps = !about.includes('/') && left.some((key) => key.replace('!', '').startsWith(`${about}/`));
  return hasSteps ? 'works in steps' : undefined;
}

/** Whether a thread has come to its end. */
export function isFinished({ finishReason, text }: GenerateResponse): boolean {
  return finishReason === 'stop' && text === 'All done.';
}
