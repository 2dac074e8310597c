import type { TemplateResult } from 'lit';
import { html, nothing } from 'lit';
import { isRecord } from '../../core/index.ts';
import type { Message } from '../../protocol/index.ts';
import type { IconName } from '../base/icon.ts';
import { icon } from '../base/icon.ts';
import { toWords } from '../base/words.ts';
import { showValue } from '../interrupt/show-value.ts';

/** Labels of known activity states; unknown states are shown as written. */
const STATES: ReadonlyMap<string, { readonly label: string; readonly icon: IconName }> = new Map([
  ['awaiting_input', { label: 'Waiting for an answer', icon: 'clock' }],
  ['working', { label: 'At work', icon: 'spinner' }],
  ['completed', { label: 'Completed', icon: 'check' }],
  ['provided', { label: 'Answered', icon: 'check' }],
  ['approved', { label: 'Approved', icon: 'check' }],
  ['rejected', { label: 'Rejected', icon: 'ban' }],
]);

/** Renders an activity: its subject, state and details. An interrupt is collapsed, because it has a card. */
export function showActivity({
  activityType,
  content,
}: Extract<Message, { role: 'activity' }>): TemplateResult {
  const record = isRecord(content) ? content : {};
  const state = stateOf(record['decision'] ?? record['stage']);
  const { text } = record;
  return html`<details class="hp-call" ?open=${activityType !== 'INPUT_REQUEST'}>
    <summary>
      ${icon(state?.icon ?? 'list')}<strong>${toWords(activityType)}</strong>
      ${state === undefined ? nothing : html`<span class="hp-badge">${state.label}</span>`}
      ${typeof text === 'string' ? html`<span class="hp-call-result">${text}</span>` : nothing}
    </summary>
    <div class="hp-args">${showValue(content)}</div>
  </details>`;
}

function stateOf(word: unknown): { readonly label: string; readonly icon: IconName } | undefined {
  if (typeof word !== 'string') return undefined;
  return STATES.get(word) ?? { label: toWords(word), icon: 'list' };
}
