import { approvalResponseSchema } from '../../content/index.ts';
import type { Interrupt } from '../../protocol/index.ts';
import { InterruptReason } from '../../protocol/index.ts';
import { inputInterrupt } from '../input-interrupt.ts';
import type { GraphPlace } from './graph-place.ts';
import { openCallsIn } from './messages.ts';
import type { GraphState } from './sdk.ts';

/** The id of the interrupt for a static breakpoint (`interruptBefore`, `interruptAfter`) at the checkpoint of a graph. */
export function breakpointId({ checkpointId = '' }: GraphPlace): string {
  return `breakpoint-${checkpointId}`;
}

/** The interrupt that asks whether a graph continues from a static breakpoint. */
export function toBreakpoint(place: GraphPlace & { readonly state: GraphState }): Interrupt {
  const { values, tasks } = place.state;
  const next = tasks.map(({ name }) => String(name));
  const calls = openCallsIn(values).map(({ name, args }) => ({ name, args }));
  return inputInterrupt({
    id: breakpointId(place),
    schema: approvalResponseSchema(),
    details: { reason: InterruptReason.Confirmation, message: `Continue with ${next.join(', ')}?` },
    payload: { next, ...(calls.length === 0 ? {} : { calls }) },
  });
}
