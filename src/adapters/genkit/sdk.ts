/** The part of `genkit` that the adapter uses. */
export interface GenkitStream {
  readonly stream: AsyncIterable<GenkitChunk>;
  readonly response: PromiseLike<GenkitResponse>;
}

export interface GenkitChunk {
  readonly content: readonly GenkitPart[];
}

export interface GenkitResponse {
  readonly messages: readonly unknown[];
  readonly interrupts: readonly GenkitPart[];
}

export interface GenkitPart {
  readonly text?: string | undefined;
  readonly reasoning?: string | undefined;
  readonly toolRequest?:
    | { readonly name: string; readonly ref?: string | undefined; readonly input?: unknown }
    | undefined;
  readonly toolResponse?:
    | { readonly name: string; readonly ref?: string | undefined; readonly output?: unknown }
    | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}
