import { isRecord } from '../../core/index.ts';
import type { Waiting } from './interrupts.ts';
import { toWaiting } from './interrupts.ts';
import type { GraphConfig, GraphSaver, GraphState, GraphTask } from './sdk.ts';

/** Where a graph stands. */
export interface GraphPlace {
  /** Every `interrupt()` that the graph shows, those of its subgraphs included. */
  readonly waiting: readonly Waiting[];
  /** Whether a step without an interrupt has no end: it may have begun, or the graph stopped before it. */
  readonly hasStep: boolean;
  /** Whether a step failed. */
  readonly hasFailed: boolean;
  readonly checkpointId: string | undefined;
  /** The interrupts whose answers the graph was given at this checkpoint, by `nameOf`. */
  readonly handed: readonly string[];
}

/** The channel in which a task keeps the answers that it was given. */
const RESUME = '__resume__';
const ERROR = '__error__';

/** The channels that a task writes before it ends. */
const UNFINISHED: ReadonlySet<string> = new Set([RESUME, '__interrupt__', ERROR, '__error_source_node__']);

/** The task id of the answers that the adapter hands over. LangGraph has no task of that name, and leaves its writes alone. */
const HANDED = 'holdpoint';

/** Reads where a graph stands from its checkpoint and the writes after it. */
export async function readPlace(saver: GraphSaver, state: GraphState): Promise<GraphPlace> {
  const { tasks, config } = state;
  const writes = tasks.length === 0 ? [] : ((await saver.getTuple(config))?.pendingWrites ?? []);
  const handed = writes.flatMap(([taskId, channel, value]) =>
    taskId === HANDED && channel === RESUME && Array.isArray(value) ? value.map(String) : [],
  );
  const { waiting, steps } = await readTasks(saver, state);
  return {
    waiting: waiting.map((one) => ({ ...one, isHanded: handed.some((name) => isSameAsk(name, one)) })),
    hasStep: steps > 0,
    hasFailed: tasks.some(({ id }) => writes.some((write) => write[0] === id && write[1] === ERROR)),
    checkpointId: checkpointIdOf(config),
    handed,
  };
}

/**
 * Keeps the names of interrupts whose answers the graph is about to be given. LangGraph keeps the answers itself only when their
 * step ends, so after a crash inside the step nothing else shows that it had begun.
 */
export async function markHanded(
  saver: GraphSaver,
  config: GraphConfig,
  names: readonly string[],
): Promise<void> {
  await saver.putWrites(config, [[RESUME, names]], HANDED);
}

function checkpointIdOf({ configurable }: GraphConfig): string | undefined {
  const id = configurable?.['checkpoint_id'];
  return typeof id === 'string' ? id : undefined;
}

/** The interrupts of the tasks, and the number of tasks that have neither an interrupt nor an end. */
async function readTasks(
  saver: GraphSaver,
  state: GraphState,
): Promise<{ readonly waiting: readonly Waiting[]; readonly steps: number }> {
  const found = new Map<string, Waiting>();
  let steps = 0;
  for (const task of state.tasks) {
    const progress = await readProgress(saver, state, task);
    if (progress === undefined) continue;
    if (task.interrupts.length === 0) {
      steps += 1;
      continue;
    }
    const inner = isState(task.state) ? (await readTasks(saver, task.state)).waiting : [];
    const own = inner.length > 0 ? [] : task.interrupts;
    const waiting = [...inner, ...own.map((one) => toWaiting(one, progress, state.values))];
    // LangGraph cannot tell two of one id apart; it asks the second once the first is answered.
    for (const one of waiting) if (!found.has(one.id)) found.set(one.id, one);
  }
  return { waiting: [...found.values()], steps };
}

/**
 * The answers that a task has had, and whether it failed: the second `interrupt()` of a task has the id of the first. Undefined
 * for a task that has ended: LangGraph still shows its interrupts while other tasks of its step wait.
 */
async function readProgress(
  saver: GraphSaver,
  { config }: GraphState,
  task: GraphTask,
): Promise<{ readonly answered: number; readonly hasFailed: boolean } | undefined> {
  const { checkpoint_id: _id, checkpoint_map: _map, ...thread } = config.configurable ?? {};
  const outer = thread['checkpoint_ns'];
  const place = `${String(task.name)}:${task.id}`;
  const inner = typeof outer === 'string' && outer !== '' ? `${outer}|${place}` : place;
  const [own, within] = await Promise.all([
    saver.getTuple(config),
    // A graph that the task's own code runs.
    saver.getTuple({ configurable: { ...thread, checkpoint_ns: inner } }),
  ]);
  const writes = (own?.pendingWrites ?? []).filter(([taskId]) => taskId === task.id);
  if (writes.some(([, channel]) => !UNFINISHED.has(channel))) return undefined;
  const answers = [...writes, ...(within?.pendingWrites ?? [])].filter(([, channel]) => channel === RESUME);
  return {
    answered: answers.flatMap(([, , value]) => value).length,
    hasFailed: writes.some(([, channel]) => channel === ERROR),
  };
}

function isState(state: unknown): state is GraphState {
  return isRecord(state) && Array.isArray(state['tasks']);
}

/** LangGraph's own id in the id of an interrupt, and the number of answers that its task had before. */
export function placeOf(id: string): { readonly id: string; readonly answered: number } {
  const [place = '', answered] = id.split('-');
  return { id: place, answered: Number(answered) };
}

/** Whether a handed answer was for this interrupt, or for a later one of the same task. */
function isSameAsk(name: string, { id, answered }: Waiting): boolean {
  const handed = placeOf(name);
  return handed.id === id && handed.answered >= answered;
}
