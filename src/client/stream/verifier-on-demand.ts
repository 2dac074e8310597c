import { onDemand } from '../../core/basics/index.ts';
import type { AgentStreamEvent, Verifier } from '../../protocol/index.ts';
import { createPlainVerifier } from '../../protocol/verify/plain/index.ts';

const wholeVerifier = onDemand(() => import('../later/verifier.ts'));

/**
 * Checks the events of one stream. A promise only where something has to be loaded first; the next event waits for
 * it. Throws, or rejects with, `INPUT_INVALID`.
 */
export type VerifyEvent = (event: AgentStreamEvent) => Promise<void> | undefined;

/** The rules for more than a plain run, and the words for what breaks one, hold from the first event that needs them. */
export function createVerifierOnDemand(): VerifyEvent {
  const isPlain = createPlainVerifier();
  let before: AgentStreamEvent[] = [];
  let verifier: Verifier | undefined;
  const judge = async (event: AgentStreamEvent) => {
    const { createVerifier } = await wholeVerifier.load();
    verifier = createVerifier();
    for (const each of [...before, event]) verifier.check(each);
  };
  return (event) => {
    if (verifier !== undefined) {
      verifier.check(event);
      return undefined;
    }
    if (!isPlain(event)) return judge(event);
    if (event.type === 'RUN_STARTED') before = [];
    before.push(event);
    return undefined;
  };
}
