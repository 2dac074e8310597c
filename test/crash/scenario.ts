/** What the crash tests do over and over: one thread with every kind of call that can be interrupted. */
import { answer, approve, cancel, defineAgent, defineTool, reject } from 'holdpoint';
import type { GenerateResponse, GeneratingAgent, InterruptPart } from 'holdpoint';
import { scriptedModel } from 'holdpoint/testing';
import type { Effects } from '../processes/effects.ts';

/** The call that each effect belongs to. A finished thread has each effect once. */
export const CALL_OF = {
  transfer: 'transfer-call',
  create: 'onboard-call',
  subscribe: 'onboard-call',
  charge: 'charge-call',
} as const;

export const ONCE = Object.keys(CALL_OF) as (keyof typeof CALL_OF)[];

/** A first turn with three calls, a second turn with a call that needs no approval, then the end. */
export function bankAgent(effects: Effects): GeneratingAgent {
  const transfer = defineTool({
    name: 'transfer',
    description: 'Needs an approval, must not run twice.',
    input: { type: 'object' },
    approval: true,
    run: (_input, { threadId }) => (effects.add(`transfer ${threadId}`), 'sent'),
  });
  const note = defineTool({
    name: 'note',
    description: 'Needs no approval, may run twice.',
    input: { type: 'object' },
    idempotent: true,
    run: (_input, { threadId }) => (effects.add(`note ${threadId}`), 'noted'),
  });
  const charge = defineTool({
    name: 'charge',
    description: 'Needs no approval, must not run twice.',
    input: { type: 'object' },
    run: (_input, { threadId }) => (effects.add(`charge ${threadId}`), 'charged'),
  });
  const onboard = defineTool({
    name: 'onboard',
    description: 'Asks twice and does a step after each answer.',
    input: { type: 'object' },
    async run(_input, { ask, step, threadId }) {
      const name = await ask('name', { message: 'Who?' });
      await step('create', () => (effects.add(`create ${threadId}`), { name }));
      const plan = await ask('plan', { message: 'Which plan?' });
      await step('subscribe', () => (effects.add(`subscribe ${threadId}`), { plan }));
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

/**
 * How the person answers. An interrupt without a warning gets a yes or a text. For an interrupt that says that its call may have
 * run, or that asks what became of a call, the person looks at the effects and lets nothing run that already ran.
 */
export function answerTo(part: InterruptPart, threadId: string, effects: Effects) {
  const { kind, toolName, interrupt } = part;
  const happened = (what: string) => effects.lines.includes(`${what} ${threadId}`);
  const mayHaveRun = interrupt.metadata?.['mayHaveRun'] === true;
  if (kind === 'approval') {
    return mayHaveRun && happened(toolName) ? reject(interrupt, 'It already ran.') : approve(interrupt);
  }
  if (kind === 'ask') {
    const next = interrupt.message?.startsWith('Who?') === true ? 'create' : 'subscribe';
    return mayHaveRun && happened(next) ? cancel(interrupt) : answer(interrupt, 'text');
  }
  const step = stepInDoubt(part);
  const ran = step === undefined && toolName === 'onboard' ? happened('create') : happened(step ?? toolName);
  return answer(interrupt, ran ? { action: 'finished', result: 'found done' } : { action: 'retry' });
}

/** True for an interrupt that asks what became of a call. */
export function isInDoubt({ interrupt }: InterruptPart): boolean {
  return interrupt.reason === 'error_recovery';
}

function stepInDoubt({ interrupt }: InterruptPart): string | undefined {
  return /its step (\S+) was/.exec(interrupt.message ?? '')?.[1];
}

/** The call or step that an interrupt in doubt is about, by its key in the executions of the thread. */
export function doubtedExecution(part: InterruptPart): string {
  const step = stepInDoubt(part);
  const { toolCallId = '' } = part;
  return step === undefined ? toolCallId : `${toolCallId}/step:${step}`;
}

/** Why no person had to be asked about an execution, given the executions that the dead process left; undefined if one had to. */
export function needlessDoubt(about: string, left: readonly string[]): string | undefined {
  if (about.startsWith('note-call')) return 'may run twice';
  if (left.includes(about)) return 'had ended';
  if (!left.includes(`!${about}`)) return 'had not started';
  const hasSteps = !about.includes('/') && left.some((key) => key.replace('!', '').startsWith(`${about}/`));
  return hasSteps ? 'works in steps' : undefined;
}

/** True for the response that ends a thread. */
export function isFinished({ finishReason, text }: GenerateResponse): boolean {
  return finishReason === 'stop' && text === 'All done.';
}
