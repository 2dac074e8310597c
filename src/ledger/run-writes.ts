import type { Approvers, OnExpire } from '../content/questions/index.ts';
import type { JsonValue } from '../core/index.ts';
import type { Interrupt } from '../protocol/index.ts';
import type { ExecutionRecord, RunFailure } from './records.ts';
import type { Vault } from './vault.ts';

/** What a run writes while it is at work. */
export interface RunChange {
  /** The unfinished turn as it is now; null when it is finished. */
  readonly turn?: JsonValue;
  readonly state?: JsonValue;
  readonly messages?: readonly JsonValue[];
  /** The messages that waited for the turn are in the conversation now. */
  readonly inputTaken?: boolean;
  /** By call, or by call and step; null for one that is over. */
  readonly executions?: ReadonlyMap<string, ExecutionRecord | null>;
  /** Claimed questions whose calls are done. */
  readonly settled?: readonly string[];
  /** Questions whose secrets nobody needs any more: their calls have ended. */
  readonly erased?: readonly string[];
  readonly events?: readonly JsonValue[];
}

/** A question to be raised, and the rules that hold for it. */
export interface RaisedQuestion {
  readonly interrupt: Interrupt;
  readonly onExpire?: OnExpire;
  readonly approvers?: Approvers;
  /** A foreign agent raises it: its schema came from outside. */
  readonly foreign?: true;
}

/** How a run ends. */
export interface EndRun extends RunChange {
  readonly outcome: 'success' | 'interrupt' | 'cancelled' | 'error';
  /** The id of the batch, where questions are raised. */
  readonly batch?: string;
  readonly questions?: readonly RaisedQuestion[];
  /** Keeps the secrets of answers to them; without it a question that asks for some is refused. */
  readonly vault?: Vault | undefined;
  /** None of the claimed questions' calls began: they are open again, without their answers. */
  readonly release?: boolean;
  readonly summary?: JsonValue;
  readonly error?: RunFailure;
}
