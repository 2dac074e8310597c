/** The reasons that this project and AG-UI name. Every other string is a valid reason too. */
export const InterruptReason = {
  ToolCall: 'tool_call',
  InputRequired: 'input_required',
  Confirmation: 'confirmation',
  HumanApproval: 'human_approval',
  UploadRequired: 'upload_required',
  PolicyHold: 'policy_hold',
  DatabaseModification: 'database_modification',
  ErrorRecovery: 'error_recovery',
} as const;

const KNOWN: ReadonlySet<string> = new Set(Object.values(InterruptReason));

/** Tells whether a reason is known, an application's own (`<framework>:<name>`), or reserved (`core:`). */
export function reasonKind(reason: string): 'known' | 'custom' | 'reserved' {
  if (KNOWN.has(reason)) return 'known';
  return reason.startsWith('core:') ? 'reserved' : 'custom';
}
