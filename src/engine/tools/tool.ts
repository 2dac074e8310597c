import { HoldpointError, isRecord, kindOf } from '../../core/index.ts';
import type { JsonSchema, SchemaLike } from '../../core/schema/index.ts';
import { isStandardSchema } from '../../core/schema/index.ts';
import type { Metadata } from '../../protocol/index.ts';
import type { Approval, InterruptToolRules } from './approval.ts';
import { assertApproval } from './approval.ts';
import type { ToolContext } from './tool-context.ts';

/** A value as people read it: a text, or texts by the names of members. Pages show the other members as they are. */
export type DisplayedValue = string | Readonly<Record<string, string>>;

/** The texts of a call for people. */
export interface DisplayedCall {
  readonly input?: DisplayedValue;
  readonly output?: DisplayedValue;
}

/** The untyped form of a tool, for the loop. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  /**
   * `function` runs; `interrupt` is answered by a person; `exit` ends the run with its input as the result; `agent`
   * is another agent.
   */
  readonly kind: 'function' | 'interrupt' | 'exit' | 'agent';
  readonly input: SchemaLike;
  readonly inputSchema: JsonSchema;
  /** The schema of the output of `run`, or of the answer of a person. */
  readonly output: SchemaLike | ((input: unknown) => SchemaLike) | undefined;
  /** The schema of the answer for a restart. */
  readonly resume: SchemaLike | undefined;
  readonly approval: Approval<unknown> | undefined;
  /** Cannot be undone, so a grant never allows it. */
  readonly destructive: boolean;
  /** May run again after a crash, with the same key. */
  readonly idempotent: boolean;
  /** Change it when the body no longer fits its old journals. */
  readonly version: string | undefined;
  readonly timeoutMs: number | undefined;
  /** The effect of an error in the body: a result for the model, or an interrupt. */
  readonly onError: 'result' | 'interrupt';
  /** The code of an agent: only the loop sees the call. */
  readonly hidden?: boolean;
  /** Where it may be used, for registries. */
  readonly scopes: readonly string[];
  title(input: unknown): string | undefined;
  /** Writes the input and the output for people. Read it with {@link displayedValue}, because authors may write anything. */
  readonly display: {
    readonly input?: (input: never) => unknown;
    readonly output?: (output: never) => unknown;
  };
  /** The rules for the interrupts of `defineInterrupt`. */
  readonly interruptOptions?: InterruptToolRules;
  /** The metadata of its interrupt. */
  requestMetadata(input: unknown): Promise<{ readonly message?: string; readonly metadata?: Metadata }>;
  run(input: unknown, context: ToolContext): Promise<unknown>;
}

/** The defaults of a tool: no approval, no body. */
export const TOOL_DEFAULTS: Omit<Tool, 'name' | 'description' | 'kind' | 'input' | 'inputSchema'> = {
  output: undefined,
  resume: undefined,
  approval: false,
  destructive: false,
  idempotent: false,
  version: undefined,
  timeoutMs: undefined,
  onError: 'result',
  scopes: [],
  title: () => undefined,
  display: {},
  requestMetadata: async () => ({}),
  run: async () => undefined,
};

/** The texts that `write` gives for a value; undefined if it throws, or gives anything else than texts. */
export function displayedValue(
  write: ((value: never) => unknown) | undefined,
  value: unknown,
): DisplayedValue | undefined {
  try {
    // The loop passes the value that the author typed.
    const shown = write?.(value as never);
    // An async function by mistake: a rejection without a handler would end the process.
    if (shown instanceof Promise) shown.catch(() => undefined);
    if (typeof shown === 'string') return shown;
    if (!isRecord(shown)) return undefined;
    const texts = Object.entries(shown).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    );
    return texts.length === 0 ? undefined : Object.fromEntries(texts);
  } catch {
    return undefined;
  }
}

/** The schema of the output, or of the answer, for this input. */
export function outputSchema(tool: Tool, input: unknown): SchemaLike | undefined {
  const { output } = tool;
  // Schemas of some libraries are functions as well.
  if (isStandardSchema(output)) return output;
  return typeof output === 'function' ? output(input) : output;
}

/** Tools by name. Throws `INPUT_INVALID` for two tools of one name, an approval that an expiry would answer, and a value that is not a list. */
export function toolMap(tools: readonly Tool[]): Map<string, Tool> {
  if (!Array.isArray(tools)) {
    throw new HoldpointError(
      'INPUT_INVALID',
      `\`tools\` is a list: write \`tools: [tool]\`, not ${kindOf(tools)}.`,
    );
  }
  const map = new Map<string, Tool>();
  for (const tool of tools) {
    if (map.has(tool.name)) {
      throw new HoldpointError('INPUT_INVALID', `Two tools have the name ${tool.name}.`);
    }
    assertApproval(tool.name, tool.approval);
    map.set(tool.name, tool);
  }
  return map;
}
