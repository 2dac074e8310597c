/** The `HttpAgent` of one published version, unmodified, and what one run of it showed. */

/** The part of `HttpAgent` that is used, as the versions before 1.0 have it. */
interface OldAgent {
  messages: OldMessage[];
  addMessage(message: OldMessage): void;
  runAgent(parameters: Readonly<Record<string, unknown>>, subscriber: object): Promise<unknown>;
}

export interface OldMessage {
  readonly id: string;
  readonly role: string;
  readonly content?: unknown;
  readonly toolCallId?: string;
  readonly toolCalls?: readonly { readonly id: string; readonly function: { readonly name: string } }[];
}

/** A module of one version; the client exports what `@ag-ui/core` of its version does. */
interface OldModule {
  readonly HttpAgent: new (options: object) => OldAgent;
  readonly EventSchemas: { parse(event: unknown): unknown };
}

export interface OldInterrupt {
  readonly id: string;
  readonly toolCallId?: string;
}

export interface Shown {
  /** The names of the events, in order. */
  readonly types: readonly string[];
  /** The interrupts in the outcome of the last run. */
  readonly interrupts: readonly OldInterrupt[];
  /** The values of `on_interrupt`. */
  readonly asked: readonly Readonly<Record<string, unknown>>[];
  /** The error that the client threw, such as one of its schemas. */
  readonly failure: string | undefined;
  /** The code of a RUN_ERROR. */
  readonly code: string | undefined;
}

export interface OldClient {
  readonly agent: OldAgent;
  /** Says something, or runs without a new message. */
  run(say?: string, parameters?: Readonly<Record<string, unknown>>): Promise<Shown>;
}

/** Loads a version: `0.0.57`. */
export async function loadVersion(version: string): Promise<OldModule> {
  return (await import(`client-${version}`)) as OldModule;
}

let counter = 0;

export function openClient(
  { HttpAgent }: OldModule,
  options: {
    readonly url: string;
    readonly threadId: string;
    readonly headers?: Readonly<Record<string, string>>;
  },
): OldClient {
  const agent = new HttpAgent(options);
  return {
    agent,
    async run(say, parameters = {}) {
      counter += 1;
      if (say !== undefined) agent.addMessage({ id: `said-${counter}`, role: 'user', content: say });
      const types: string[] = [];
      const asked: Readonly<Record<string, unknown>>[] = [];
      let interrupts: readonly OldInterrupt[] = [];
      let code: string | undefined;
      let failure: string | undefined;
      const subscriber = {
        onEvent({ event }: { event: { type: string; name?: string; value?: unknown; code?: string } }) {
          types.push(event.type);
          if (event.type === 'CUSTOM' && event.name === 'on_interrupt')
            asked.push(event.value as object as never);
          if (event.type === 'RUN_ERROR') code = event.code;
          if (event.type === 'RUN_FINISHED') {
            const { outcome } = event as { outcome?: { interrupts?: readonly OldInterrupt[] } };
            interrupts = outcome?.interrupts ?? [];
          }
        },
        onRunFailed({ error }: { error: Error }) {
          failure ??= String(error);
        },
      };
      await agent.runAgent(parameters, subscriber).catch((error: unknown) => {
        failure ??= String(error);
      });
      return { types, interrupts, asked, failure, code };
    },
  };
}
