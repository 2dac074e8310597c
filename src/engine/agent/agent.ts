import type { FileReader, Grants } from '../../content/interrupts/index.ts';
import type { Clock, IdGenerator, JsonValue } from '../../core/index.ts';
import type {
  AgentStreamEvent,
  ContentPart,
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
import type { Checkpoints, Recovery } from '../calls/checkpoints.ts';
import type { ApprovalMode, CallFailure, RunSecrets } from '../calls/run-context.ts';
import type { FinishReason, LoopResult } from '../loop/run-loop.ts';
import type { Policy } from '../tools/policy.ts';
import type { Principal } from '../tools/tool-context.ts';
import type { InterruptPart, Reply } from '../tools/tool-replies.ts';
import type { Tool } from '../tools/tool.ts';

/** Options of a run that its caller gives, in process or on a host. */
export interface RunOptions {
  /** The caller. Default: a local user in the scope `default`; without a store none. */
  readonly principal?: Principal | undefined;
  /** The person who gave the answers of this run: one, or one for each interrupt. */
  readonly answeredBy?: Principal | ((interruptId: string) => Principal | undefined) | undefined;
  /** Stops the run when it aborts. Default: none. */
  readonly signal?: AbortSignal | undefined;
  /** Default `interactive`. */
  readonly mode?: ApprovalMode | undefined;
  /** Rules of the organisation; they come before those of the tool and the agent. */
  readonly policies?: readonly Policy[] | undefined;
  /** The remembered decisions that allow calls. Default: none. */
  readonly grants?: Grants | undefined;
  /** Reads the files of the thread, for `ctx.files` and to check answers that name files. Default: the thread has no files. */
  readonly files?: FileReader | undefined;
  /** Makes the ids of messages, runs and interrupts. Default: UUIDv7. */
  readonly newId?: IdGenerator | undefined;
  /** The time by which interrupts expire. Default: the time of the store, which all processes share; without a store, of this machine. */
  readonly clock?: Clock | undefined;
  /** Milliseconds until an interrupt expires that sets no time itself. Default: it does not expire. */
  readonly interruptTtlMs?: number | undefined;
  /** Receives notes for the developer. `failure`: the call whose tool threw, if the note is about one. */
  readonly onWarning?: ((warning: string, failure?: CallFailure) => void) | undefined;
  /** Receives errors in full; the wire gets a bare sentence. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** The surroundings of a run: the options of the caller, and the facts that a host adds. */
export interface AgentContext extends RunOptions {
  /** The id of the agent on its host. Default: the agent's own id. */
  readonly agentId?: string | undefined;
  /**
   * The server's copy of the conversation, with the state of its paused turn. Without it, the run uses the messages
   * of the input and continues no call in them, because the sender could have written them.
   */
  readonly history?: readonly Message[] | undefined;
  /** Whether the asker took an interrupt of this run back. Default: no. */
  readonly isWithdrawn?: ((interruptId: string) => boolean) | undefined;
  /** The stored interrupts of the answers of this run. */
  readonly openInterrupts?: readonly Interrupt[] | undefined;
  /** This run continues a lost one: the agent may have received these answers before. */
  readonly recovers?: boolean | undefined;
  /** True if a run that recovers has new messages. The agent then reports an undelivered answer as `open` and sends nothing. */
  readonly holdAnswers?: boolean | undefined;
  /**
   * The decision of a person about the answers of this run, which a lost run may have handed over. The agent keeps the result
   * and does not make their calls. Only for agents with `takesDecision`.
   */
  readonly decision?: DoubtDecision | undefined;
  /** Fires when a person stops the run; only for agents with `stopMs`, which then end the run themselves. */
  readonly stopSignal?: AbortSignal | undefined;
  /**
   * Called before a run of a foreign agent ends: reports whether the agent got the answers of the run, or its message.
   * Without a report, a host checks the answers when the thread continues.
   */
  readonly onDelivery?: ((report: DeliveryReport) => void) | undefined;
  /** A value that the agent keeps with the thread between runs; a host gives it to agents that keep their own checkpoint. */
  readonly memory?: AgentMemory | undefined;
  /** Called with each event before the reader of the run gets it. */
  readonly onEvent?: ((event: AgentStreamEvent) => void) | undefined;
}

/** A person's decision about calls in doubt: they were made, they are left out, or the turn ends. */
export interface DoubtDecision {
  readonly action: 'finished' | 'skip' | 'abort';
  /** The result that the person gave. */
  readonly result?: JsonValue;
}

/** Whether a foreign agent got the answers of a failed run, or its message. */
export type DeliveryReport =
  /** Not delivered; the agent still waits. The interrupts open again and show the reason. `retry`: the background may try again. */
  | { readonly status: 'open'; readonly reason: string; readonly retry?: boolean }
  /** Not delivered; the agent no longer waits. The interrupts close with the reason. */
  | { readonly status: 'closed'; readonly reason: string }
  /**
   * Delivered; a run that fails leaves nothing to continue. `failed`: the interrupts whose calls failed, as the agent reports; also
   * for a run that succeeds.
   */
  | { readonly status: 'taken'; readonly failed?: readonly string[] }
  /** Unknown; a person decides. `isMessage`: this is about the message of the run, not about its answers. */
  | { readonly status: 'unknown'; readonly isMessage?: boolean };

/** One value that an agent keeps with a thread. */
export interface AgentMemory {
  /** The value that the last run wrote; undefined before the first one. */
  read(): Promise<JsonValue | undefined>;
  /** Replaces the value. Durable when it resolves. Throws `RUN_LOST` when another run has the thread, or has written. */
  write(value: JsonValue): Promise<void>;
}

/** The surroundings of a run of our own agents on a stored thread; `runs` makes them. */
export interface DurableContext extends AgentContext {
  /** Keeps the work of the run. */
  readonly checkpoints?: RunCheckpoints | undefined;
  /** The work that a lost run had begun, when this run continues its turn. */
  readonly recovery?: Recovery | undefined;
  /** Opens the secrets of the answers. */
  readonly secrets?: RunSecrets | undefined;
  /** The ids of the principals who asked. Default: that of the principal. */
  readonly askers?: readonly string[] | undefined;
}

/** Checkpoints that also keep the end of the run: it is shown after it is kept. */
export interface RunCheckpoints extends Checkpoints {
  ended(result: LoopResult, state: unknown): Promise<void>;
  /** Throws the error that others see: `RUN_LOST` where another run holds the thread now. */
  failed(error: unknown, state: unknown): Promise<void>;
}

/** The identity of an agent. */
export interface AgentIdentity {
  readonly id: string;
  readonly name?: string;
  readonly description?: string;
  /** Metadata for lists of agents, such as suggestions or an icon. */
  readonly metadata?: Metadata;
  /** The dialect of requests to a host that name none. Default: that of the host. */
  readonly dialect?: DialectName;
}

/** Anything that turns a run input into AG-UI events. */
export interface Agent extends AgentIdentity {
  readonly tools?: readonly Tool[];
  run(input: RunAgentInput, context?: AgentContext): AsyncIterable<AgentStreamEvent>;
}

/** Options of `generate`. The messages of the caller are trusted. */
export interface GenerateOptions extends RunOptions {
  /** A new user message: its text, or its parts. Default: none. */
  readonly prompt?: string | readonly ContentPart[];
  /** The conversation so far. Default: empty; with a store it is read from there. */
  readonly messages?: readonly Message[];
  /** Answers to the interrupts that the messages wait for: one, a list, or lists by method. */
  readonly resume?:
    | Reply
    | ResumeEntry
    | readonly (Reply | ResumeEntry)[]
    | {
        readonly respond?: Reply | readonly Reply[];
        readonly restart?: Reply | readonly Reply[];
        readonly answer?: Reply | ResumeEntry | readonly (Reply | ResumeEntry)[];
      };
  /** Tools that the caller runs itself. */
  readonly clientTools?: readonly ClientTool[];
  /** The state that the run starts with. Default: empty; with a store, that of the thread. */
  readonly state?: unknown;
  /** The maximum number of model calls in this run. Default: that of the agent. */
  readonly maxTurns?: number;
  /** The id of the conversation. Default: a new id; with a store it is required. */
  readonly threadId?: string;
  /** The id of this run. Default: a new id. */
  readonly runId?: string;
}

/** The result of `generate`. */
export interface GenerateResponse {
  readonly finishReason: FinishReason;
  /** The text of the last message. */
  readonly text: string;
  /** The whole conversation; pass it to the next call to continue. */
  readonly messages: Message[];
  readonly interrupts: readonly InterruptPart[];
  /** The unfinished calls of the last message, calls of the client included. */
  readonly toolRequests: readonly ToolCall[];
  readonly usage: readonly TokenUsage[];
  readonly result: unknown;
  readonly state: unknown;
}

/** A run with its events. */
export interface GenerateStream extends AsyncIterable<AgentStreamEvent> {
  readonly response: Promise<GenerateResponse>;
}

/** An agent of ours, usable in process. `Options`: the options of its `generate`. */
export interface GeneratingAgent<Options extends GenerateOptions = GenerateOptions> extends Agent {
  readonly tools: readonly Tool[];
  /** Throws `HoldpointError`. */
  generate(options: Options): Promise<GenerateResponse>;
  stream(options: Options): GenerateStream;
}
