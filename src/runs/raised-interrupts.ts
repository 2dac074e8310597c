import type { OnExpire } from '../content/interrupts/index.ts';
import { checkAnswer } from '../content/interrupts/index.ts';
import type { JsonValue } from '../core/index.ts';
import { HoldpointError } from '../core/index.ts';
import { hasSecrets } from '../core/schema/index.ts';
import type { InterruptPart, LoopResult } from '../engine/index.ts';
import type { RaisedQuestion } from '../ledger/index.ts';

/**
 * The questions of a run that waits, with the rules that their tools gave them, and the default of what happens when nobody
 * answers in time. Throws `INPUT_INVALID` for a secret that would become the result of its call: the model reads that; and for
 * a rule that would answer by something that is no answer to the question.
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
    const expiry =
      rules?.onExpire === undefined ? defaultExpiry(part, onExpire) : ownExpiry(part, rules.onExpire);
    return {
      interrupt,
      ...(rules?.approvers === undefined ? {} : { approvers: rules.approvers }),
      ...expiry,
    };
  });
}

type Expiry = { readonly onExpire?: OnExpire };

function ownExpiry(part: InterruptPart, onExpire: OnExpire): Expiry {
  const issue = typeof onExpire === 'object' ? whyNot(part, onExpire.answer) : undefined;
  if (issue === undefined) return expiryOf(part, onExpire);
  throw new HoldpointError(
    'INPUT_INVALID',
    `${part.toolName} would be answered, when nobody does in time, by what is no answer: ${issue}.`,
  );
}

/** A rule for all questions is one for those that it fits: the others are cancelled. */
function defaultExpiry(part: InterruptPart, onExpire: OnExpire | undefined): Expiry {
  if (onExpire === undefined) return {};
  const fits = typeof onExpire !== 'object' || whyNot(part, onExpire.answer) === undefined;
  return expiryOf(part, fits ? onExpire : 'cancel');
}

function whyNot({ interrupt }: InterruptPart, payload: JsonValue): string | undefined {
  if (hasSecrets(interrupt.responseSchema)) return 'it asks for a secret';
  const [issue] = checkAnswer(interrupt, { interruptId: interrupt.id, status: 'resolved', payload });
  return issue === undefined ? undefined : `${issue.pointer || 'the root'}: ${issue.message}`;
}

/** Only an approval can be denied, and what a person has to decide after a crash waits for them. */
function expiryOf({ kind }: InterruptPart, onExpire: OnExpire): Expiry {
  if (kind === 'recovery') return {};
  return { onExpire: onExpire === 'deny' && kind !== 'approval' ? 'cancel' : onExpire };
}
