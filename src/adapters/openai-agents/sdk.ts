/** The part of `@openai/agents` that the adapter uses: pass the module itself. */
export interface OpenAiAgentsSdk {
  run(agent: never, input: never, options: never): PromiseLike<unknown>;
  readonly RunState: {
    fromString(agent: never, text: string): PromiseLike<unknown>;
    fromStringWithContext(agent: never, text: string, context: never): PromiseLike<unknown>;
  };
  readonly RunContext: new (context: never) => unknown;
}

/** The context of a run, and an agent, as far as they are used. */
export interface AgentsContext {
  readonly context: unknown;
}
export interface AgentsAgent {
  readonly name: string;
  /** Agents, or handoffs to them. */
  readonly handoffs?: readonly (AgentsAgent | { readonly agent: AgentsAgent })[];
}

/** A run that streams. */
export interface AgentsStream extends AsyncIterable<AgentsEvent> {
  readonly completed: Promise<unknown>;
  readonly interruptions: readonly ApprovalItem[];
  readonly state: RunState;
  /** The agent that spoke last, from which the next turn starts. */
  readonly lastAgent?: AgentsAgent | undefined;
  /** The input of the next turn. */
  readonly history: readonly unknown[];
  readonly error?: unknown;
}

export interface RunState {
  getInterruptions(): readonly ApprovalItem[];
  approve(item: ApprovalItem): void;
  reject(item: ApprovalItem, options?: { readonly message?: string }): void;
  toString(): string;
}

/** A call that waits for approval. */
export interface ApprovalItem {
  readonly rawItem: {
    readonly callId?: string;
    readonly id?: string;
    readonly name?: string;
    readonly arguments?: string;
  };
}

export type AgentsEvent =
  | {
      readonly type: 'raw_model_stream_event';
      readonly data: { readonly type: string; readonly delta?: unknown };
    }
  | { readonly type: 'run_item_stream_event'; readonly name: string; readonly item: AgentsItem }
  | { readonly type: 'agent_updated_stream_event' };

export interface AgentsItem {
  readonly rawItem: {
    readonly type?: string;
    readonly callId?: string;
    readonly name?: string;
    readonly arguments?: string;
    readonly output?: unknown;
    readonly content?: unknown;
  };
  readonly output?: unknown;
}
