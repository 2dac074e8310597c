import type { PropertyDeclarations, TemplateResult } from 'lit';
import { html, nothing } from 'lit';
import { guard } from 'lit/directives/guard.js';
import { repeat } from 'lit/directives/repeat.js';
import type { Interrupt, Message } from '../../protocol/index.ts';
import { HoldpointElement } from '../base/holdpoint-element.ts';
import { icon } from '../base/icon.ts';
import { markdown } from './markdown.ts';
import { textOf } from './message-text.ts';
import { showActivity } from './show-activity.ts';
import { showToolCall } from './show-tool-call.ts';
import { toolCallState } from './tool-call-state.ts';

/** `<holdpoint-messages>`: the messages of a conversation: text, tool calls, activities, reasoning. */
export class HoldpointMessagesElement extends HoldpointElement {
  static override properties: PropertyDeclarations = {
    messages: { attribute: false },
    interrupts: { attribute: false },
    running: { type: Boolean },
    agent: {},
  };

  declare messages: readonly Message[];
  /** The open interrupts; their tool calls are shown as waiting. */
  declare interrupts: readonly Interrupt[];
  declare running: boolean;
  declare agent: string | undefined;

  constructor() {
    super();
    this.messages = [];
    this.interrupts = [];
    this.running = false;
  }

  protected override render(): TemplateResult {
    const results = new Map(
      this.messages.flatMap((message) => (message.role === 'tool' ? [[message.toolCallId, message]] : [])),
    );
    const shown = this.messages.filter(({ role }) => !HIDDEN.has(role));
    return html`<div
      role="log"
      aria-label="Conversation"
      aria-live="polite"
      aria-busy=${this.running ? 'true' : 'false'}
    >
      <ol class="hp-messages">
        ${repeat(
          shown,
          ({ id }) => id,
          (message) => this.#renderMessage(message, results),
        )}
        ${
          this.running
            ? html`<li class="hp-said hp-working">
                <span class="hp-dots" aria-hidden="true"><i></i><i></i><i></i></span>
                <span class="hp-hidden">The agent is at work.</span>
              </li>`
            : nothing
        }
      </ol>
    </div>`;
  }

  #renderMessage(message: Message, results: ReadonlyMap<string, Extract<Message, { role: 'tool' }>>) {
    const text = textOf(message);
    switch (message.role) {
      case 'user':
        return html`<li class="hp-said hp-user">
          <span class="hp-hidden">You said:</span>
          <div class="hp-bubble">${text}</div>
        </li>`;
      case 'activity':
        return html`<li class="hp-said">${showActivity(message)}</li>`;
      case 'reasoning':
        return html`<li class="hp-said">
          <details class="hp-call">
            <summary>${icon('help')}Thoughts</summary>
            <div class="hp-args hp-lines">${text}</div>
          </details>
        </li>`;
      case 'assistant':
        return html`<li class="hp-said hp-assistant">
          ${
            text === ''
              ? nothing
              : html`<span class="hp-hidden">${this.agent ?? 'The agent'} said:</span>
                  <div class="hp-text">${guard([text], () => markdown(text))}</div>`
          }
          ${(message.toolCalls ?? []).map((call) => {
            const result = results.get(call.id);
            const shown = { id: call.id, name: call.function.name, args: call.function.arguments };
            const { interrupts, running } = this;
            const state = toolCallState(shown, { result, interrupts, isRunning: running });
            return showToolCall(shown, state, result);
          })}
        </li>`;
      default:
        return nothing;
    }
  }
}

/** Roles without an entry of their own: tool results are shown with their calls. */
const HIDDEN = new Set<Message['role']>(['tool', 'system', 'developer']);
