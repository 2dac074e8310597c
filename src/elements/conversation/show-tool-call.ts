import type { TemplateResult } from 'lit';
import { html, nothing } from 'lit';
import type { Message } from '../../protocol/index.ts';
import { icon } from '../base/icon.ts';
import { showMembers, showValue } from '../interrupt/show-value.ts';
import { isRecord } from '../../core/index.ts';
import { textOf } from './message-text.ts';
import type { CallShown, ToolCallState } from './tool-call-state.ts';
import { STATE_WORDS } from './tool-call-state.ts';

/** Renders a tool call: name, state, arguments and result. */
export function showToolCall(
  call: CallShown,
  state: ToolCallState,
  result: Extract<Message, { role: 'tool' }> | undefined,
): TemplateResult {
  const words = STATE_WORDS[state];
  const args = parse(call.args);
  const hasArgs = !isRecord(args) || Object.keys(args).length > 0;
  return html`<details class="hp-call" data-state=${state}>
    <summary>
      ${icon('tool')}<code>${call.name}</code>
      <span class="hp-badge hp-state-${state}">${icon(words.icon)}${words.label}</span>
      ${result === undefined ? nothing : html`<span class="hp-call-result">${short(textOf(result))}</span>`}
    </summary>
    ${
      hasArgs
        ? html`<div class="hp-args">
            ${isRecord(args) ? showMembers(args) : html`<pre class="hp-pre">${args}</pre>`}
          </div>`
        : nothing
    }
    ${
      result === undefined
        ? nothing
        : html`<div class="hp-args">
            <h4>Result</h4>
            ${showValue(parse(textOf(result)))}
          </div>`
    }
  </details>`;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

function short(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > 80 ? `${line.slice(0, 80)} …` : line;
}
