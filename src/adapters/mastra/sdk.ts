/** The part of an agent of `@mastra/core` that the adapter uses. */
export interface MastraAgent {
  stream(messages: never, options: never): Promise<unknown>;
  approveToolCall(options: never): Promise<unknown>;
  declineToolCall(options: never): Promise<unknown>;
  resumeStream(resumeData: never, options: never): Promise<unknown>;
  /** False for an agent that remembers no conversation. */
  hasOwnMemory?(): boolean;
}

/** A stream of an agent. */
export interface MastraStream {
  readonly runId: string;
  readonly fullStream: AsyncIterable<MastraChunk>;
}

export interface MastraChunk {
  readonly type: string;
  readonly payload?: {
    readonly id?: string;
    readonly text?: string;
    readonly toolCallId?: string;
    readonly toolName?: string;
    readonly args?: unknown;
    readonly result?: unknown;
    readonly error?: unknown;
    readonly suspendPayload?: unknown;
    /** JSON Schema as text. */
    readonly resumeSchema?: string;
  };
}

/** The part of a workflow of `@mastra/core` that the adapter uses. */
export interface MastraWorkflow {
  readonly steps: unknown;
  createRun(options: never): Promise<unknown>;
  /** The stored state of a run; older versions have none. */
  getWorkflowRunById?(runId: string): Promise<unknown>;
  /** A workflow with it has runs that can `restart`, on the engines `default` and `evented`. */
  restartAllActiveWorkflowRuns?(): Promise<unknown>;
  readonly engineType?: string;
}

export interface MastraRun {
  start(options: { readonly inputData: unknown }): Promise<WorkflowResult>;
  resume(options: {
    readonly step: readonly string[];
    readonly resumeData: unknown;
  }): Promise<WorkflowResult>;
  /** Goes on with a run whose process died, from its last step, or returns the result of a run that has ended. */
  restart?(): Promise<WorkflowResult>;
  cancel(): Promise<unknown>;
}

export type WorkflowResult =
  | { readonly status: 'success'; readonly result: unknown }
  | {
      readonly status: 'suspended';
      readonly suspended: readonly (readonly string[])[];
      readonly steps: unknown;
    }
  | { readonly status: string; readonly error?: unknown };
