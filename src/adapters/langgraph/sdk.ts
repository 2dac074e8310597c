/** The part of `@langchain/langgraph` that the adapter uses. */
export interface LangGraph {
  /** A saver; `true` and `false` are for subgraphs. */
  readonly checkpointer?: unknown;
  /** The names of the state's channels, for a graph with a state. */
  readonly streamChannels?: unknown;
  stream(input: unknown, options: GraphOptions): Promise<AsyncIterable<unknown>>;
  getState(config: GraphConfig, options?: { subgraphs?: boolean }): Promise<GraphState>;
}

export interface GraphConfig {
  readonly configurable?: Record<string, unknown>;
}

export interface GraphOptions extends GraphConfig {
  readonly signal?: AbortSignal;
  readonly streamMode: ('messages' | 'values')[];
  readonly subgraphs: true;
}

/** A snapshot of a graph's checkpoint. */
export interface GraphState {
  readonly values?: unknown;
  readonly config: GraphConfig;
  readonly tasks: readonly GraphTask[];
}

export interface GraphTask {
  readonly id: string;
  readonly name: unknown;
  readonly interrupts: readonly GraphInterrupt[];
  /** The state of a subgraph, where it was asked for; else its config. */
  readonly state?: unknown;
}

export interface GraphInterrupt {
  /** A hash of the task's place: a second `interrupt()` of the same task has the same. */
  readonly id?: string;
  readonly value?: unknown;
  /** JSON Schema of the answer, from `interrupt(value, { responseSchema })`. */
  readonly response_schema?: unknown;
}

/** The part of a saver that keeps which answers a graph was given. */
export interface GraphSaver {
  putWrites(config: GraphConfig, writes: [string, unknown][], taskId: string): Promise<void>;
  getTuple(
    config: GraphConfig,
  ): Promise<{ readonly pendingWrites?: readonly (readonly [string, string, unknown])[] } | undefined>;
}

/** A message, or a piece of one, in the stream of a graph. */
export interface GraphMessage {
  readonly id?: string;
  readonly type?: string;
  readonly content?: unknown;
  readonly tool_calls?: readonly { readonly id?: string; readonly name: string; readonly args: unknown }[];
  readonly tool_call_chunks?: readonly {
    readonly id?: string;
    readonly name?: string;
    readonly args?: string;
    readonly index?: number;
  }[];
  readonly tool_call_id?: string;
}
