import type { TemplateResult } from 'lit';
import { html, nothing } from 'lit';
import type { UnknownRecord } from '../../core/index.ts';
import { isRecord } from '../../core/index.ts';
import type { Message } from '../../protocol/index.ts';
import type { IconName } from '../base/icon.ts';
import { icon } from '../base/icon.ts';
import { visibleText } from '../base/visible-text.ts';
import { toWords } from '../base/words.ts';
import { showValue } from '../interrupt/show-value.ts';
import type { CallShown, ToolResult } from './tool-call-state.ts';
import { type Text, translate } from '../base/strings.ts';

type Activity = Extract<Message, { role: 'activity' }>;

/** Labels of known activity states; unknown states are shown as written. */
const STATES: ReadonlyMap<string, { readonly label: Text; readonly icon: IconName }> = new Map<
  string,
  { readonly label: Text; readonly icon: IconName }
>([
  ['awaiting_input', { label: 'Waiting for an answer', icon: 'clock' }],
  ['working', { label: 'At work', icon: 'spinner' }],
  ['completed', { label: 'Completed', icon: 'check' }],
  ['provided', { label: 'Answered', icon: 'check' }],
  ['approved', { label: 'Approved', icon: 'check' }],
  ['rejected', { label: 'Rejected', icon: 'ban' }],
]);

/** The activity of calls that were made before the conversation went back past them. */
const REPLACED_CALLS = 'REPLACED_CALLS';

/** Renders an activity: its subject, state and details. An interrupt is collapsed, because it has a card. */
export function showActivity(
  activity: Activity,
  options: {
    readonly showCall: (call: CallShown, result: ToolResult) => TemplateResult;
    /** Whether a call may have changed something. */
    readonly isDone: (call: CallShown, result: ToolResult) => boolean;
  },
): TemplateResult {
  const { activityType, content } = activity;
  if (activityType === REPLACED_CALLS) {
    const calls = callsOf(activity);
    const done = calls.filter(({ call, result }) => options.isDone(call, result));
    const others = calls.filter((one) => !done.includes(one));
    const show = (caption: string, shown: typeof calls) =>
      shown.length === 0
        ? nothing
        : html`<div class="hp-replaced">
            <p class="hp-caption">${icon('retry')}${caption}</p>
            ${shown.map(({ call, result }) => options.showCall(call, result))}
          </div>`;
    return html`${show(translate('Done for an earlier answer, and still done:'), done)}
    ${show(translate('From an earlier answer:'), others)}`;
  }
  const record = isRecord(content) ? content : {};
  const state = stateOf(record['decision'] ?? record['stage']);
  // The ids of the task and the raw request are for machines.
  const { taskId: _task, artifactId: _artifact, request: _request, text, ...shown } = record;
  return html`<details class="hp-call" ?open=${activityType !== 'INPUT_REQUEST'}>
    <summary>
      ${icon(state?.icon ?? 'list')}<strong class="hp-call-title"
        >${visibleText(toWords(activityType))}</strong
      >
      ${state === undefined ? nothing : html`<span class="hp-badge">${visibleText(state.label)}</span>`}
      ${typeof text === 'string' ? html`<span class="hp-call-record">${visibleText(text)}</span>` : nothing}
      ${icon('down')}
    </summary>
    <div class="hp-args">${showValue(isRecord(content) ? shown : content)}</div>
  </details>`;
}

/** Ids of the calls that an activity shows. */
export function replacedCallIds(activity: Activity): readonly string[] {
  return activity.activityType === REPLACED_CALLS ? callsOf(activity).map(({ call }) => call.id) : [];
}

function callsOf({
  content,
}: Activity): readonly { readonly call: CallShown; readonly result: ToolResult }[] {
  const calls: readonly unknown[] =
    isRecord(content) && Array.isArray(content['calls']) ? content['calls'] : [];
  return calls.filter(isRecord).map((one) => {
    const id = textIn(one, 'id');
    const { error, metadata } = one;
    return {
      call: { id, name: textIn(one, 'name'), args: textIn(one, 'arguments') },
      result: {
        id: `${id}-result`,
        role: 'tool',
        toolCallId: id,
        content: textIn(one, 'result'),
        ...(typeof error === 'string' ? { error } : {}),
        ...(isRecord(metadata) ? { metadata: { ...metadata } } : {}),
      },
    };
  });
}

function textIn(record: UnknownRecord, name: string): string {
  const value = record[name];
  return typeof value === 'string' ? value : JSON.stringify(value ?? '');
}

function stateOf(word: unknown): { readonly label: string; readonly icon: IconName } | undefined {
  if (typeof word !== 'string') return undefined;
  const known = STATES.get(word);
  return known === undefined
    ? { label: toWords(word), icon: 'list' }
    : { label: translate(known.label), icon: known.icon };
}
