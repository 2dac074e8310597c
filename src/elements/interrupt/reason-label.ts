import type { IconName } from '../base/icon.ts';
import { toWords } from '../base/words.ts';

/** The kind of an interrupt, as shown to people. */
export interface ReasonLabel {
  readonly label: string;
  readonly icon: IconName;
}

const KNOWN: ReadonlyMap<string, ReasonLabel> = new Map<string, ReasonLabel>([
  ['tool_call', { label: 'Approval', icon: 'shield' }],
  ['human_approval', { label: 'Approval', icon: 'shield' }],
  ['policy_hold', { label: 'Held by a policy', icon: 'shield' }],
  ['database_modification', { label: 'Database change', icon: 'alert' }],
  ['confirmation', { label: 'Confirmation', icon: 'check' }],
  ['input_required', { label: 'Question', icon: 'help' }],
  ['upload_required', { label: 'File wanted', icon: 'upload' }],
  ['error_recovery', { label: 'Needs a decision', icon: 'alert' }],
]);

/** The label of a reason; an unknown reason is shown by its name. */
export function reasonLabel(reason: string): ReasonLabel {
  const own = reason.includes(':') ? reason.slice(reason.indexOf(':') + 1) : reason;
  return KNOWN.get(reason) ?? { label: toWords(own), icon: 'help' };
}
