import { HoldpointError } from '../../core/index.ts';
import type { AgentStreamEvent } from '../events.ts';

/** An `INPUT_INVALID` that names the event and the rule that it breaks. */
export function broken({ type }: AgentStreamEvent, rule: string): HoldpointError {
  return new HoldpointError('INPUT_INVALID', `${type} is not allowed here: ${rule}.`);
}
