import { HoldpointError } from '../../core/index.ts';
import { hasSecrets } from '../../core/schema/index.ts';
import type { OnExpire, RaisedQuestion } from '../../ledger/index.ts';
import type { LoopResult } from '../loop/run-loop.ts';
import type { InterruptPart } from '../tools/tool-replies.ts';

/**
 * The questions of a run that waits, with the rules that their tools gave them, and the default of what happens when nobody
 * answers in time. Throws `INPUT_INVALID` for a secret that would become the result of its call: the model reads that.
 */
export function raisedQuestions(
  { interrupts }: LoopResult,
  onExpire: OnExpire | undefined,
): readonly RaisedQuestion[] {
  return interrupts.map((part) => {
    const { interrupt, kind, toolName, rules } = part;
    if (kind === 'respond' && hasSecrets(interrupt.responseSchema)) {
      throw new HoldpointError(
        'INPUT_INVALID',
        `${toolName} asks for a secret that would be its result, which the model reads: ask in the body of a tool instead.`,
      );
    }
    const expiry = expiryOf(part, rules?.onExpire ?? onExpire);
    return {
      interrupt,
      ...(rules?.approvers === undefined ? {} : { approvers: rules.approvers }),
      ...expiry,
    };
  });
}

/** Only an approval can be denied, and what a person has to decide after a crash waits for them. */
function expiryOf({ kind }: InterruptPart, onExpire: OnExpire | undefined): { readonly onExpire?: OnExpire } {
  if (onExpire === undefined || kind === 'recovery') return {};
  return { onExpire: onExpire === 'deny' && kind !== 'approval' ? 'cancel' : onExpire };
}
