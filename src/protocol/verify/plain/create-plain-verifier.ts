import type { RunFinishedEvent, RunStartedEvent } from '@ag-ui/core';
import type { AgentStreamEvent } from '../../events/index.ts';

/** Says of each event of a stream whether it is allowed beyond doubt. */
export type PlainVerifier = (event: AgentStreamEvent) => boolean;

/** What `createVerifier` has rules for that are not here: steps, subagents, and chunks that were not expanded. */
const NOT_PLAIN = /^(?:STEP|SUBAGENT)_|_CHUNK$/;

/** An event that opens, continues or closes something. */
const SPAN = /^(.+)_(START|CONTENT|ARGS|END)$/;

/** The ids by which such events belong together. */
interface Ids {
  readonly type: string;
  readonly messageId?: string | undefined;
  readonly toolCallId?: string | undefined;
}

/**
 * A verifier of plain runs: whatever it allows, `createVerifier` allows too. What it does not allow changes nothing
 * here, and is for that one to judge, which has seen all that came before.
 */
export function createPlainVerifier(): PlainVerifier {
  let run: RunStartedEvent | undefined;
  const open = new Set<string>();

  return (event) => {
    const { type } = event;
    if (NOT_PLAIN.test(type) || isOfSubagent(event) || messagesOf(event).some(isOfSubagent)) return false;
    if (type === 'RUN_STARTED') {
      if (run !== undefined) return false;
      run = event;
      open.clear();
      return true;
    }
    if (run === undefined) return false;
    if (type === 'RUN_FINISHED' || type === 'RUN_ERROR') {
      if (type === 'RUN_FINISHED' && (open.size > 0 || !isEndOf(run, event))) return false;
      run = undefined;
      return true;
    }
    const [, kind, part] = SPAN.exec(type) ?? [];
    if (kind === undefined) return true;
    const { toolCallId, messageId }: Ids = event;
    const key = `${kind} ${kind === 'TOOL_CALL' ? toolCallId : messageId}`;
    if (part !== 'START') return part === 'END' ? open.delete(key) : open.has(key);
    if (open.has(key)) return false;
    open.add(key);
    return true;
  };
}

function isEndOf({ threadId, runId }: RunStartedEvent, end: RunFinishedEvent): boolean {
  const interrupts = end.outcome?.type === 'interrupt' ? end.outcome.interrupts : [];
  const isAskedTwice = new Set(interrupts.map(({ id }) => id)).size < interrupts.length;
  return end.threadId === threadId && end.runId === runId && !isAskedTwice;
}

function isOfSubagent(thing: object): boolean {
  return 'subagentRunId' in thing;
}

function messagesOf(event: AgentStreamEvent): readonly object[] {
  if (event.type === 'RUN_STARTED') return event.input?.messages ?? [];
  return event.type === 'MESSAGES_SNAPSHOT' ? event.messages : [];
}
