import type { JsonValue } from '../../core/index.ts';
import { canonicalJson, childPointer, copyIfJson, isRecord } from '../../core/index.ts';
import { validateWithSchema } from '../../core/schema/index.ts';
import type { SchemaEffect } from '../../protocol/index.ts';
import type { Tool } from '../tools/tool.ts';
import type { CallToRun } from './call-state.ts';
import type { RunContext } from './run-context.ts';

/** A call with checked arguments. */
export type CheckedCall = CallToRun & { readonly checked: { readonly value: unknown } };

/**
 * The call with the arguments that are shown, stored, compared and run: those that its schema returned, if they are JSON and
 * the schema returns them again. Otherwise those of the model, with `schemaEffect.converted`.
 */
export async function withShownArguments(call: CallToRun, run: RunContext): Promise<CallToRun> {
  const { tool, input: given, checked, schemaEffect: before, ...rest } = call;
  // A checked value has secrets in the place of their markers, so it is not stored.
  if (checked === undefined || hasSecretMarkers(call, run)) return call;
  const { value } = checked;
  const parsed = copyIfJson(value);
  const isKept = parsed !== undefined && (isSameJson(parsed, given) || (await returnsAgain(tool, parsed)));
  const dropped = { ...before?.dropped, ...droppedMembers({ given, value, isConverted: !isKept }) };
  const schemaEffect: SchemaEffect = {
    ...(Object.keys(dropped).length === 0 ? {} : { dropped }),
    ...(isKept ? {} : { converted: true }),
  };
  return {
    ...rest,
    tool,
    checked,
    input: isKept ? parsed : given,
    ...(Object.keys(schemaEffect).length === 0 ? {} : { schemaEffect }),
  };
}

async function returnsAgain(tool: Tool, parsed: JsonValue): Promise<boolean> {
  const again = await validateWithSchema(tool.input, parsed);
  return again.ok && isSameJson(again.value, parsed);
}

/** Whether a checked value is JSON and equals the stored arguments. */
export function isSameJson(value: unknown, input: unknown): boolean {
  if (value === input) return true;
  const copy = copyIfJson(value);
  return copy !== undefined && canonicalJson(copy) === canonicalJson(input);
}

/** The arguments for functions that write texts: after the schema, or with markers if a person entered secrets. */
export function typedInput(
  call: Pick<CallToRun, 'input' | 'checked' | 'originalInput'>,
  run: RunContext,
): unknown {
  const { input, checked } = call;
  return checked === undefined || hasSecretMarkers(call, run) ? input : checked.value;
}

/** Edited arguments may have secrets. A marker in the arguments of a model is a text of the model. */
function hasSecretMarkers(
  { input, originalInput }: Pick<CallToRun, 'input' | 'originalInput'>,
  { secrets }: RunContext,
): boolean {
  return originalInput !== undefined && secrets?.holds(input) === true;
}

/** The arguments to check, with secrets in the place of their markers. */
export function inputOf({ input, originalInput }: CallToRun, { secrets }: RunContext): unknown {
  return originalInput === undefined || secrets === undefined ? input : secrets.open(input);
}

interface Compared {
  readonly given: unknown;
  readonly value: unknown;
  /** The schema may have renamed members: a member that is absent where new ones appear is not called dropped. */
  readonly isConverted: boolean;
}

/** The members of the arguments that the checked value does not have, by their pointer. */
function droppedMembers({ given, value, isConverted }: Compared, pointer = ''): Record<string, JsonValue> {
  const dropped: Record<string, JsonValue> = {};
  if (Array.isArray(given) && Array.isArray(value) && given.length === value.length) {
    for (const [index, item] of given.entries())
      Object.assign(
        dropped,
        droppedMembers({ given: item, value: value[index], isConverted }, childPointer(pointer, index)),
      );
    return dropped;
  }
  if (!isRecord(given) || !isRecord(value) || isInstance(value)) return dropped;
  const isRenamed = isConverted && Object.keys(value).some((name) => !Object.hasOwn(given, name));
  for (const [name, member] of Object.entries(given)) {
    const at = childPointer(pointer, name);
    if (Object.hasOwn(value, name))
      Object.assign(dropped, droppedMembers({ given: member, value: value[name], isConverted }, at));
    // The arguments of a call are JSON.
    else if (!isRenamed) dropped[at] = member as JsonValue;
  }
  return dropped;
}

/** Whether an object is of a class, such as a date or a map. */
function isInstance(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype !== null && prototype !== Object.prototype;
}
