import { isRecord } from '../../core/index.ts';
import { replaceSecrets } from '../../core/schema/index.ts';
import type { Emitter, JsonPatchOperation, Message, ResumeEntry } from '../../protocol/index.ts';
import type { AskedQuestion } from './a2a-memory.ts';

/** The timeline: one `INPUT_REQUEST` for each question, under the question's id. */
export interface Activities {
  asked(taskId: string, question: AskedQuestion): void;
  /** The agent has taken the answer, or the answer was that there is none. */
  answered(taskId: string, question: AskedQuestion, change: ActivityChange): void;
  /** The task has gone on without us: what the thread shows of its questions says so, but for those that are still open. */
  past(taskId: string, stage: ActivityChange['stage'], still?: readonly string[]): void;
}

export interface ActivityChange {
  readonly stage: 'working' | 'completed';
  readonly entry?: ResumeEntry | undefined;
  /** The agent did not take the answer, and asks again. */
  readonly refused?: boolean;
}

const TYPE = 'INPUT_REQUEST';
const MASK = '••••••';

/** Patches what a thread shows already, and shows it whole where it does not: a patch of nothing is lost on a client. */
export function createActivities(emitter: Emitter, messages: readonly Message[]): Activities {
  const shown = new Set(messages.flatMap(({ id, role }) => (role === 'activity' ? [id] : [])));
  const contents = new Map<string, Record<string, unknown>>();
  /** The questions of earlier runs that are not over, by task. */
  const unfinished = new Map(messages.flatMap(unfinishedQuestion));
  return {
    asked(taskId, question) {
      const { id } = question;
      const content = { stage: 'awaiting_input', ...subjectOf(taskId, question) };
      unfinished.delete(id);
      contents.set(id, content);
      shown.add(id);
      emitter.activity(id, TYPE, content);
    },
    answered(taskId, question, { stage, entry, refused }) {
      const { id } = question;
      unfinished.delete(id);
      const changes = {
        stage,
        ...(entry === undefined ? {} : { decision: decisionOf(entry), ...valuesOf(question, entry) }),
        ...(refused === true ? { refused } : {}),
      };
      const content = { ...(contents.get(id) ?? subjectOf(taskId, question)), ...changes };
      contents.set(id, content);
      if (!shown.has(id)) {
        shown.add(id);
        emitter.activity(id, TYPE, content);
        return;
      }
      const patch = Object.entries(changes).map(([name, value]): JsonPatchOperation => ({
        op: 'add',
        path: `/${name}`,
        value,
      }));
      emitter.activityDelta(id, TYPE, patch);
    },
    past(taskId, stage, still = []) {
      for (const [id, question] of unfinished) {
        if (question.taskId !== taskId || question.stage === stage || still.includes(id)) continue;
        unfinished.set(id, { taskId, stage });
        emitter.activityDelta(id, TYPE, [{ op: 'add', path: '/stage', value: stage }]);
      }
    },
  };
}

function unfinishedQuestion(
  message: Message,
): [string, { readonly taskId: unknown; readonly stage: unknown }][] {
  if (message.role !== 'activity' || message.activityType !== TYPE || !isRecord(message.content)) return [];
  const { taskId, stage } = message.content;
  return stage === 'completed' ? [] : [[message.id, { taskId, stage }]];
}

function subjectOf(taskId: string, { request, text }: AskedQuestion): Record<string, unknown> {
  return { taskId, request, text };
}

function decisionOf({ status, payload }: ResumeEntry): 'provided' | 'approved' | 'rejected' {
  if (status === 'cancelled') return 'rejected';
  if (!isRecord(payload) || !Object.hasOwn(payload, 'approved')) return 'provided';
  return payload['approved'] === true ? 'approved' : 'rejected';
}

/** What was entered, without its secrets. */
function valuesOf({ responseSchema }: AskedQuestion, { status, payload }: ResumeEntry): { values?: unknown } {
  if (status === 'cancelled' || payload === undefined) return {};
  return { values: replaceSecrets(responseSchema, payload, () => MASK) };
}
