import type { Clock, IdGenerator, JsonValue } from '../../core/index.ts';
import type {
  AgentStreamEvent,
  DialectName,
  Interrupt,
  Message,
  Metadata,
  ResumeEntry,
  RunAgentInput,
  TokenUsage,
  Tool as ClientTool,
  ToolCall,
} from '../../protocol/index.ts';
import type { Checkpoints } from '../calls/checkpoints.ts';
import type { Recovery } from '../calls/recovery.ts';
import type { ApprovalMode } from '../calls/run-context.ts';
import type { RunSecrets } from '../calls/run-secrets.ts';
import type { FinishReason, LoopResult } from '../loop/run-loop.ts';
import type { Grants } from '../policy/grants.ts';
import type { Policy } from '../policy/policy.ts';
import type { InterruptPart, Reply } from '../tools/tool-replies.ts';
import type { Access, OnExpire, Quotas } from '../../ledger/index.ts';
import type { Store } from '../../store/index.ts';
import type { Principal } from '../tools/tool-context.ts';
import type { Tool } from '../tools/tool.ts';

/** What surrounds a run and does not come from the conversation. */
export interface AgentContext {
  /** The id that the agent has on its host. Default: the agent's own. */
  readonly agentId?: string | undefined;
  readonly principal?: Principal | undefined;
  /** Who gave the answers of this run: one person, or by question. */
  readonly answeredBy?: Principal | ((interruptId: string) => Principal | undefined) | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly mode?: ApprovalMode | undefined;
  /** Rules of the organisation; they come before the tool's and the agent's own. */
  readonly policies?: readonly Policy[] | undefined;
  readonly grants?: Grants | undefined;
  readonly newId?: IdGenerator | undefined;
  /** When questions expire. Default: the store's, which all processes share; without one, this machine's. */
  readonly clock?: Clock | undefined;
  /**
   * The server's own copy of the conversation, with what its paused turn needs. Without it the input's messages are
   * used, and nothing in them can make a call go on: whoever sends an input could have written them.
   */
  readonly history?: readonly Message[] | undefined;
  /** Where the run keeps what it does; given by a host with a store. */
  readonly checkpoints?: RunCheckpoints | undefined;
  /** What a lost run had begun, when this one takes up its turn. */
  readonly recovery?: Recovery | undefined;
  /** Opens the secrets of the answers, where a store keeps them. */
  readonly secrets?: RunSecrets | undefined;
  /** Milliseconds until a question expires that does not say so itself; without it, such a one does not expire. */
  readonly questionTtlMs?: number | undefined;
  /** The questions that the answers of this run are for, where a store keeps them. */
  readonly openInterrupts?: readonly Interrupt[] | undefined;
  /** This run takes up one that was lost: the agent may have been given these answers before. */
  readonly recovers?: boolean | undefined;
  /** What the agent keeps with the thread between runs; given by a host to agents that keep their own checkpoint. */
  readonly memory?: AgentMemory | undefined;
  /** Told of each event at the moment it is made, before whoever reads the run. */
  readonly onEvent?: ((event: AgentStreamEvent) => void) | undefined;
  /** What a developer should know. */
  readonly onWarning?: ((warning: string) => void) | undefined;
  /** What went wrong inside; the wire gets a bare sentence. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** One value that an agent keeps with a thread. */
export interface AgentMemory {
  /** The value that the last run wrote; undefined when there is none. */
  read(): Promise<JsonValue | undefined>;
  /** Replaces the value. Durable when it resolves. Throws `RUN_LOST` when another run has the thread, or has written. */
  write(value: JsonValue): Promise<void>;
}

/** Checkpoints that the run's end belongs to as well: it is shown when it is kept, and not before. */
export interface RunCheckpoints extends Checkpoints {
  ended(result: LoopResult, state: unknown): Promise<void>;
  /** Throws what the failure is to others: `RUN_LOST` where the run is no longer the one that may end it. */
  failed(error: unknown, state: unknown): Promise<void>;
}

/** Anything that turns a run input into AG-UI events. */
export interface Agent {
  readonly id: string;
  readonly name?: string;
  readonly description?: string;
  readonly metadata?: Metadata;
  /** The form on the wire where a request says none, for a host; its own default when absent. */
  readonly dialect?: DialectName;
  readonly tools?: readonly Tool[];
  run(input: RunAgentInput, context?: AgentContext): AsyncIterable<AgentStreamEvent>;
}

/** What to generate from. Without a store the caller is trusted with the messages. */
export interface GenerateOptions extends AgentContext {
  readonly prompt?: string;
  readonly messages?: readonly Message[];
  /** Answers to the questions that the messages wait for. */
  readonly resume?:
    | readonly (Reply | ResumeEntry)[]
    | {
        readonly respond?: readonly Reply[];
        readonly restart?: readonly Reply[];
        readonly answer?: readonly (Reply | ResumeEntry)[];
      };
  /** Tools that the caller runs itself. */
  readonly clientTools?: readonly ClientTool[];
  readonly state?: unknown;
  readonly maxTurns?: number;
  readonly threadId?: string;
  readonly runId?: string;
  /**
   * Keeps the thread: its conversation, its questions and what its runs have done. With it, `messages` are not given, each
   * answer counts once, in all processes together, and what a process left behind is continued; with neither a prompt nor
   * answers that is all that is done.
   */
  readonly store?: Store;
  /** With a store: the right that a server has checked for its caller. Default: the application's own. */
  readonly access?: Access<'run' | 'answer'>;
  /** Milliseconds a run keeps its thread without a sign of life. Default 30,000. */
  readonly leaseMs?: number;
  /** With a store: answers that leave a question out are refused (default), or kept, and the rest is asked again. */
  readonly uncovered?: 'refuse' | 'reinterrupt';
  /**
   * With a store: 32 random bytes in base64, under which the secrets of answers are kept until the call that asked has ended.
   * Without it, a question that asks for a secret (`writeOnly` or `format: "password"`) is refused.
   */
  readonly secretKey?: string;
  /**
   * With a store: what becomes of a question that expires and has no rule of its own. By default it stays, and can be
   * cancelled or asked again. `deny` cancels a question that is no approval.
   */
  readonly onExpire?: OnExpire;
  /** With a store: how much the scope of the principal may have. Beyond it, `RATE_LIMITED` is thrown. */
  readonly quotas?: Quotas;
}

export interface GenerateResponse {
  readonly finishReason: FinishReason;
  /** What the last message says. */
  readonly text: string;
  /** The whole conversation; hand it over again to go on. */
  readonly messages: Message[];
  readonly interrupts: readonly InterruptPart[];
  /** The calls of the last message that are not finished, the client's own among them. */
  readonly toolRequests: readonly ToolCall[];
  readonly usage: readonly TokenUsage[];
  readonly result: unknown;
  readonly state: unknown;
}

/** A run that is watched while it happens. */
export interface GenerateStream extends AsyncIterable<AgentStreamEvent> {
  readonly response: Promise<GenerateResponse>;
}

/** An agent of ours, usable in process. */
export interface GeneratingAgent extends Agent {
  readonly tools: readonly Tool[];
  /** Throws `HoldpointError`. */
  generate(options: GenerateOptions): Promise<GenerateResponse>;
  stream(options: GenerateOptions): GenerateStream;
}
