import { InterruptReason } from '../../protocol/index.ts';
import type { IconName } from '../base/icon.ts';
import { visibleText } from '../base/visible-text.ts';
import { toWords } from '../base/words.ts';
import { type Text, translate } from '../base/strings.ts';

/** The kind of an interrupt, as shown to people. */
export interface ReasonLabel {
  readonly label: string;
  readonly icon: IconName;
}

interface KnownReason {
  readonly label: Text;
  readonly icon: IconName;
}

const KNOWN: ReadonlyMap<string, KnownReason> = new Map<string, KnownReason>([
  [InterruptReason.ToolCall, { label: 'Approval', icon: 'shield' }],
  [InterruptReason.HumanApproval, { label: 'Approval', icon: 'shield' }],
  [InterruptReason.PolicyHold, { label: 'Held by a policy', icon: 'shield' }],
  [InterruptReason.DatabaseModification, { label: 'Database change', icon: 'alert' }],
  [InterruptReason.Confirmation, { label: 'Confirmation', icon: 'shield' }],
  [InterruptReason.InputRequired, { label: 'Question', icon: 'help' }],
  [InterruptReason.UploadRequired, { label: 'File wanted', icon: 'upload' }],
  [InterruptReason.ErrorRecovery, { label: 'Needs a decision', icon: 'alert' }],
]);

/** The label of a reason; an unknown reason is shown by its name. */
export function reasonLabel(reason: string): ReasonLabel {
  const own = reason.includes(':') ? reason.slice(reason.indexOf(':') + 1) : reason;
  const known = KNOWN.get(reason);
  return known === undefined
    ? { label: toWords(own), icon: 'help' }
    : { label: translate(known.label), icon: known.icon };
}

const RISKS: ReadonlyMap<string, Text> = new Map<string, Text>([
  ['low', 'Risk: low'],
  ['medium', 'Risk: medium'],
  ['high', 'Risk: high'],
  ['critical', 'Risk: critical'],
]);

/** "Risk: high"; a risk that is not a usual word is shown as written. */
export function riskLabel(risk: string): string {
  const known = RISKS.get(risk.toLowerCase());
  return known === undefined ? translate('Risk: {0}', visibleText(risk)) : translate(known);
}
