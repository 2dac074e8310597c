/** Loom, a framework that does not exist: its flows suspend, and a snapshot has everything that a flow needs to go on. */
import { EMAIL_SCHEMA, nextTurn } from '../../integration/world.ts';
import type { World } from '../../integration/world.ts';
import type { JsonValue } from '../../src/core/index.ts';
import { isRecord } from '../../src/core/index.ts';

/** A call of a tool that waits for a person. */
export interface LoomAsk {
  readonly callId: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** The schema of the value that the flow asks for. Without it, the flow asks whether it may make the call. */
  readonly schema?: Readonly<Record<string, unknown>>;
}

/** What a flow did until it suspended or ended. */
export interface LoomStep {
  readonly snapshot: JsonValue;
  readonly calls: readonly {
    readonly id: string;
    readonly tool: string;
    readonly args: Readonly<Record<string, unknown>>;
  }[];
  readonly results: readonly { readonly id: string; readonly output: string }[];
  readonly text: string;
  /** The calls that it waits for; empty when it ended. */
  readonly asks: readonly LoomAsk[];
}

/** What a person said to a call. */
export type LoomDecision =
  | { readonly go: true; readonly args?: unknown }
  | { readonly go: false; readonly why: string }
  | { readonly value: unknown };

export interface LoomFlow {
  begin(snapshot: JsonValue | undefined, message: unknown): Promise<LoomStep>;
  resume(
    snapshot: JsonValue | undefined,
    decisions: Readonly<Record<string, LoomDecision>>,
  ): Promise<LoomStep>;
}

interface Kept {
  readonly message: unknown;
  readonly count: number;
  readonly results: readonly string[];
  readonly asks: readonly LoomAsk[];
}

/** A flow with a mock model, which pays and asks for an e-mail address. */
export function loomFlow({ pay }: Pick<World, 'pay'>): LoomFlow {
  const keep = (kept: Kept) => JSON.parse(JSON.stringify(kept)) as JsonValue;
  const read = (snapshot: JsonValue | undefined): Kept =>
    (snapshot as unknown as Kept | undefined) ?? { message: '', count: 0, results: [], asks: [] };
  return {
    async begin(snapshot, message) {
      const { results, count } = read(snapshot);
      const turn = nextTurn(message, [], results);
      const calls = 'calls' in turn ? turn.calls : [];
      const asks = calls.map(({ name, args }, index): LoomAsk => ({
        callId: `call-${count}-${index}`,
        tool: name,
        args,
        ...(name === 'askEmail' ? { schema: EMAIL_SCHEMA } : {}),
      }));
      return {
        snapshot: keep({ message, count: count + 1, results, asks }),
        calls: asks.map(({ callId: id, tool, args }) => ({ id, tool, args })),
        results: [],
        text: 'text' in turn ? turn.text : '',
        asks,
      };
    },
    async resume(snapshot, decisions) {
      const { message, count, results, asks } = read(snapshot);
      const made = await Promise.all(
        asks.map(async ({ callId: id, args }) => {
          const decision = decisions[id] ?? { go: false, why: 'Nobody answered.' };
          if ('value' in decision) return { id, output: JSON.stringify(decision.value) };
          if (!decision.go) return { id, output: `rejected: ${decision.why}` };
          const edits = isRecord(decision.args) ? decision.args : {};
          const amount = Number({ ...args, ...edits }['amount']);
          const output = await pay(amount).catch((error: unknown) => `failed: ${String(error)}`);
          return { id, output };
        }),
      );
      const since = made.map(({ output }) => output);
      const turn = nextTurn(message, since, results);
      const kept = keep({ message, count, results: [...results, ...since], asks: [] });
      return { snapshot: kept, calls: [], results: made, text: 'text' in turn ? turn.text : '', asks: [] };
    },
  };
}
