import { CANCELLED_TEXT } from '../../content/questions/index.ts';
import type { Issue } from '../../core/index.ts';
import { HoldpointError, publicMessage } from '../../core/index.ts';
import { validateWithSchema } from '../../core/schema/index.ts';
import type { JournalEntry } from '../journal/journal.ts';
import { outputSchema } from '../tools/output-schema.ts';
import { done, failed, waiting } from './call-outcomes.ts';
import type { CallState, PendingQuestion } from './call-state.ts';
import type { CallToRun } from './call-to-run.ts';
import {
  askQuestion,
  questionRules,
  recoveryQuestion,
  respondQuestion,
  restartQuestion,
} from './questions.ts';
import type { RunContext } from './run-context.ts';
import { runSubagent } from './run-subagent.ts';
import { runBody } from './run-body.ts';

/** The result of a call that was not made any more. */
const STOPPED_TEXT = 'Cancelled: the run was stopped.';

/** Makes a call: what it gave, or what it waits for. Never throws but for an abort or a lost run. */
export async function executeCall(call: CallToRun, run: RunContext): Promise<CallState> {
  if (run.checkpoints?.cancelSignal.aborted === true) return failed(STOPPED_TEXT);
  const state = await attempt(call, run);
  const outcome =
    state.status === 'done' && call.originalInput !== undefined ? { ...state, ranWith: call.input } : state;
  run.checkpoints?.finished(call.toolCallId, outcome);
  return outcome;
}

async function attempt(call: CallToRun, run: RunContext): Promise<CallState> {
  const { tool } = call;
  const checked =
    call.checked === undefined
      ? await validateWithSchema(tool.input, inputOf(call, run))
      : { ok: true as const, value: call.checked.value };
  if (!checked.ok) return failed(`The arguments of ${tool.name} are not valid: ${sentence(checked.issues)}`);
  if (tool.kind === 'interrupt') {
    const interrupt = await respondQuestion({ ...call, input: checked.value }, run);
    return waiting([{ kind: 'respond', interrupt, ...questionRules(tool.question ?? {}) }], call);
  }
  if (tool.kind === 'agent') return runSubagent({ ...call, input: checked.value }, run);
  if (call.journal !== undefined && call.journal.length > 0 && call.version !== tool.version) {
    return mismatch(call, run, 'it has another version now');
  }
  const outcome = await runBody({ ...call, input: checked.value, rawInput: call.input }, run);
  switch (outcome.type) {
    case 'interrupted': {
      const interrupt = restartQuestion(call, outcome.options, run);
      const question = { kind: 'restart' as const, interrupt, ...questionRules(outcome.options) };
      return waiting([question], { ...call, journal: outcome.journal });
    }
    case 'asked': {
      const questions = outcome.asks.map(({ key, name, question }): PendingQuestion => {
        if ('part' in question) {
          const { kind, toolName, interrupt, rules } = question.part;
          return { kind, toolName, interrupt, askKey: key, ...(rules === undefined ? {} : { rules }) };
        }
        const about = tool.hidden === true ? undefined : call;
        const interrupt = askQuestion({ name, ...question }, about, run);
        return { kind: 'ask', interrupt, askKey: key, ...questionRules(question.options) };
      });
      return waiting(questions, { ...call, journal: outcome.journal });
    }
    case 'mismatch':
      return mismatch(call, run, `it no longer asks for ${outcome.unused.join(', ')}`);
    case 'threw':
      return threw(call, outcome, run);
    case 'returned':
      return checkedOutput(call, outcome.output);
  }
}

/** Arguments that a person edited may have secrets; what a model gave never has any, whatever it looks like. */
function inputOf({ input, originalInput }: CallToRun, { secrets }: RunContext): unknown {
  return originalInput === undefined || secrets === undefined ? input : secrets.open(input);
}

/** A body that no longer fits its journal strands nobody: a person decides. */
function mismatch(call: CallToRun, run: RunContext, why: string): CallState {
  const message = `${call.tool.name} was changed while it waited: ${why}. Begin it again with the answers given so far?`;
  run.warn(`JOURNAL_MISMATCH: ${message}`);
  const trouble = { message, actions: ['restart', 'abort'], code: 'JOURNAL_MISMATCH' as const };
  return waiting([recoveryQuestion(call, trouble, run)], call);
}

function threw(
  call: CallToRun,
  outcome: { readonly error: unknown; readonly journal: readonly JournalEntry[] },
  run: RunContext,
): CallState {
  const { tool } = call;
  const { error } = outcome;
  if (HoldpointError.is(error, 'ANSWER_CANCELLED')) return failed(CANCELLED_TEXT);
  const message = publicMessage(error);
  if (tool.onError === 'result') return failed(`${tool.name} failed: ${message}`);
  const trouble = {
    message: `${tool.name} failed: ${message}`,
    actions: ['retry', 'skip', 'abort'],
    code: 'TOOL_FAILED' as const,
  };
  return waiting([recoveryQuestion(call, trouble, run)], { ...call, journal: outcome.journal });
}

async function checkedOutput({ tool, input }: CallToRun, output: unknown): Promise<CallState> {
  const schema = outputSchema(tool, input);
  const checked = schema === undefined ? { ok: true as const } : await validateWithSchema(schema, output);
  if (checked.ok) return done(output);
  return failed(`${tool.name} gave something else than it says: ${sentence(checked.issues)}`);
}

function sentence(issues: readonly Issue[]): string {
  return issues
    .slice(0, 5)
    .map(({ pointer, message }) => `${pointer === '' ? '' : `${pointer} `}${message}`)
    .join('; ');
}
