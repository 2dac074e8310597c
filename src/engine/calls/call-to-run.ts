import type { JournalEntry } from '../journal/journal.ts';
import type { Principal } from '../tools/tool-context.ts';
import type { Message } from '../../protocol/index.ts';
import type { CallGuard, PendingQuestion, ResumedWith } from './call-state.ts';
import type { Reply } from '../tools/tool-replies.ts';
import type { Tool } from '../tools/tool.ts';

/** A call that is to be made now, with all that earlier runs of it left. */
export interface CallToRun {
  readonly tool: Tool;
  readonly toolCallId: string;
  /** The arguments as they were given. */
  readonly input: unknown;
  /** What the tool's schema made of them, where they were checked just before. */
  readonly checked?: { readonly value: unknown };
  readonly originalInput?: unknown;
  readonly journal?: readonly JournalEntry[];
  readonly resumed?: ResumedWith;
  readonly approvedBy?: Principal | undefined;
  readonly guard?: CallGuard | undefined;
  readonly version?: string | undefined;
  /** What it was first run with. */
  readonly idempotencyKey?: string | undefined;
  /** The subagent's conversation so far, and the answers it waits for. */
  readonly child?: {
    readonly subagentRunId: string;
    readonly messages: readonly Message[];
    readonly questions: readonly PendingQuestion[];
    readonly replies: readonly Reply[];
  };
}
