import type { ApprovalOptions } from '../tools/approval.ts';
import type { CallGuard, PendingQuestion } from './call-state.ts';

/** The guard of a call that needs this approval, whether a person gives it or one that was remembered. */
export function approvalGuard({ approvers, editable }: ApprovalOptions<unknown>): CallGuard {
  return {
    approval: true,
    ...(approvers === undefined ? {} : { approvers }),
    ...(editable === true ? {} : { fixed: true }),
  };
}

/** The guard of a call whose body was answered. Who may decide about the call itself comes before who may answer its body. */
export function answeredGuard(
  guard: CallGuard | undefined,
  questions: readonly PendingQuestion[],
): CallGuard {
  const asked = questions.find(({ rules }) => rules?.approvers !== undefined);
  const approvers = guard?.approvers ?? asked?.rules?.approvers;
  return { ...guard, ...(approvers === undefined ? {} : { approvers }), fixed: true };
}
