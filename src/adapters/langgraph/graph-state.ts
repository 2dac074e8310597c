import { canonicalJson, isRecord, jsonCopy } from '../../core/index.ts';
import type { GraphInterrupt } from './sdk.ts';

/** A graph's values without messages, as JSON. */
export function publicState(values: unknown): Readonly<Record<string, unknown>> {
  if (!isRecord(values)) return {};
  const { messages: _messages, __interrupt__: _interrupts, ...state } = values;
  const copy = jsonCopy(state);
  return isRecord(copy) ? copy : {};
}

/** The interrupts that a graph has just raised. */
export function raisedIn(values: unknown): readonly GraphInterrupt[] {
  const raised = isRecord(values) ? values['__interrupt__'] : undefined;
  return Array.isArray(raised) ? (raised as GraphInterrupt[]) : [];
}

/** The members of a client's state that it may set. */
export function pickState(state: unknown, names: ReadonlySet<string>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(isRecord(state) ? state : {}).filter(([name]) => names.has(name)));
}

/** The members of a client's state that differ from the graph's own; undefined if none does. */
export function changedState(
  values: unknown,
  state: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> | undefined {
  const own = publicState(values);
  const changed = Object.entries(state).filter(
    ([name, value]) => canonicalJson(own[name] ?? null) !== canonicalJson(value ?? null),
  );
  return changed.length === 0 ? undefined : Object.fromEntries(changed);
}
