import { defined, HoldpointError } from '../core/index.ts';
import type { ChatModel, ModelPart, ModelRequest } from '../engine/index.ts';
import type { TokenUsage } from '../protocol/index.ts';

/** One turn of a scripted model. */
export interface ScriptedTurn {
  readonly text?: string;
  readonly reasoning?: string;
  readonly calls?: readonly { readonly id?: string; readonly name: string; readonly input?: unknown }[];
  readonly usage?: Omit<TokenUsage, 'provider' | 'model'>;
  readonly finish?: Extract<ModelPart, { type: 'finish' }>['reason'];
  /** Thrown at the end of the turn. */
  readonly error?: Error;
}

/** The turns of a scripted model, or a function that returns the turn for a request. */
export type Script =
  | readonly (string | ScriptedTurn)[]
  | ((request: ModelRequest, turn: number) => string | ScriptedTurn);

/** A model that follows a script and records its requests. */
export interface ScriptedModel extends ChatModel {
  readonly requests: readonly ModelRequest[];
}

/**
 * Creates a model for tests and demonstrations from a list of turns, or from a function of the request. Yields text
 * word by word and arguments in two pieces. Throws `MODEL_FAILED` after the last turn.
 *
 * @example
 * ```ts
 * import { scriptedModel } from 'holdpoint/testing';
 *
 * const script = scriptedModel([{ calls: [{ id: 'c1', name: 'pay' }] }, 'It is paid.']);
 * ```
 */
export function scriptedModel(script: Script): ScriptedModel {
  const requests: ModelRequest[] = [];
  return {
    provider: 'holdpoint',
    model: 'scripted',
    requests,
    async *stream(request) {
      requests.push({ ...request, messages: structuredClone(request.messages) });
      const said =
        typeof script === 'function' ? script(request, requests.length - 1) : script[requests.length - 1];
      if (said === undefined) {
        throw new HoldpointError(
          'MODEL_FAILED',
          `The scripted model has no turn ${requests.length}. Add a turn to the script.`,
        );
      }
      yield* partsOf(typeof said === 'string' ? { text: said } : said);
    },
  };
}

function* partsOf(turn: ScriptedTurn): Generator<ModelPart> {
  if (turn.reasoning !== undefined) yield { type: 'reasoning', delta: turn.reasoning };
  for (const word of (turn.text ?? '').split(/(?<= )/)) if (word !== '') yield { type: 'text', delta: word };
  for (const { id, name, input } of turn.calls ?? []) {
    const text = typeof input === 'string' ? input : JSON.stringify(input ?? {});
    if (id !== undefined) {
      const half = Math.ceil(text.length / 2);
      yield { type: 'tool-input', callId: id, name, delta: text.slice(0, half) };
      yield { type: 'tool-input', callId: id, name, delta: text.slice(half) };
    }
    yield { type: 'tool-call', ...defined({ callId: id }), name, input: text };
  }
  if (turn.error !== undefined) throw turn.error;
  const reason = turn.finish ?? ((turn.calls ?? []).length > 0 ? 'tool-calls' : 'stop');
  yield { type: 'finish', reason, ...defined({ usage: turn.usage }) };
}
