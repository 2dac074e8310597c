import type { PropertyDeclarations, TemplateResult } from 'lit';
import { html, nothing } from 'lit';
import { guard } from 'lit/directives/guard.js';
import { repeat } from 'lit/directives/repeat.js';
import type { Interrupt, Message } from '../../protocol/index.ts';
import { HoldpointElement } from '../base/holdpoint-element.ts';
import { icon } from '../base/icon.ts';
import { visibleText } from '../base/visible-text.ts';
import { markdown } from './markdown.ts';
import { textOf } from './message-text.ts';
import type { InterruptEntry } from './records.ts';
import { replacedCallIds, showActivity } from './show-activity.ts';
import { showLooseRecord, showToolCall } from './show-tool-call.ts';
import type { CallShown, ToolResult } from './tool-call-state.ts';
import { hadEffect, toolCallState } from './tool-call-state.ts';
import { strings, translate } from '../base/strings.ts';

/** Messages per block. A delta renders the last blocks only, so its cost does not grow with the conversation. */
const BLOCK = 40;

/** `<holdpoint-messages>`: the messages of a conversation: text, tool calls with their records, activities, reasoning. */
export class HoldpointMessagesElement extends HoldpointElement {
  static override properties: PropertyDeclarations = {
    messages: { attribute: false },
    interrupts: { attribute: false },
    expired: { attribute: false },
    records: { attribute: false },
    running: { type: Boolean },
    agent: {},
    clock: { attribute: false },
  };

  declare messages: readonly Message[];
  /** The open interrupts; their tool calls are shown as waiting. */
  declare interrupts: readonly Interrupt[];
  /** Those of them whose time is over. Default: none. */
  declare expired: readonly Interrupt[];
  /** The interrupts of the thread with their answers; each is shown at its tool call. */
  declare records: readonly InterruptEntry[];
  declare running: boolean;
  declare agent: string | undefined;
  /** The server's time in milliseconds. */
  declare clock: () => number;

  #before: readonly Message[] = [];
  #around: readonly unknown[] = [];
  #results = new Map<string, ToolResult>();
  #records = new Map<string, readonly InterruptEntry[]>();
  #versions: number[] = [];

  constructor() {
    super();
    this.messages = [];
    this.interrupts = [];
    this.expired = [];
    this.records = [];
    this.running = false;
    this.clock = () => Date.now();
  }

  /** Finds the first changed message; the blocks from the one before it on are rendered again. */
  protected override willUpdate(): void {
    const { messages, records } = this;
    const around = [this.interrupts, this.expired, records, this.running, this.agent, strings()];
    const isOther =
      messages.length < this.#before.length || around.some((one, index) => !isSame(one, this.#around[index]));
    const from = isOther ? 0 : firstDifference(this.#before, messages);
    if (isOther) {
      this.#results.clear();
      this.#records = byCall(records);
    }
    for (let at = from; at < messages.length; at += 1) {
      const message = messages[at];
      if (message?.role === 'tool') this.#results.set(message.toolCallId, message);
    }
    // A result can begin the block after the one of its call.
    for (let block = Math.max(0, Math.floor(from / BLOCK) - 1); block * BLOCK < messages.length; block += 1)
      this.#versions[block] = (this.#versions[block] ?? 0) + 1;
    this.#before = messages;
    this.#around = around;
  }

  protected override render(): TemplateResult {
    const blocks = Array.from({ length: Math.ceil(this.messages.length / BLOCK) }, (_, index) => index);
    return html`<div
      role="log"
      aria-label=${translate('Conversation')}
      aria-live="polite"
      aria-busy=${this.running ? 'true' : 'false'}
    >
      ${blocks.map((block) =>
        guard([this.#versions[block]], () => this.#renderBlock(block, block === blocks.length - 1)),
      )}
      ${guard([this.#before.length, this.records], () => this.#renderLoose())}
      ${
        this.running
          ? html`<p class="hp-working">
              <span class="hp-dots" aria-hidden="true"><i></i><i></i><i></i></span>
              <span class="hp-hidden">${translate('The agent is at work.')}</span>
            </p>`
          : nothing
      }
    </div>`;
  }

  #renderBlock(block: number, isLast: boolean): TemplateResult {
    const messages = this.messages.slice(block * BLOCK, (block + 1) * BLOCK);
    return html`<ol class="hp-messages ${isLast ? '' : 'hp-past'}">
      ${repeat(
        messages.filter(({ role }) => !HIDDEN.has(role)),
        ({ id }) => id,
        (message) => this.#renderMessage(message),
      )}
    </ol>`;
  }

  /** Answers to interrupts that name no tool call of the conversation. */
  #renderLoose(): TemplateResult | typeof nothing {
    const known = new Set(
      this.messages.flatMap((message) =>
        message.role === 'assistant'
          ? (message.toolCalls ?? []).map(({ id }) => id)
          : message.role === 'activity'
            ? replacedCallIds(message)
            : [],
      ),
    );
    const loose = this.records.filter(
      ({ interrupt: { toolCallId }, answered }) =>
        answered !== undefined && (toolCallId === undefined || !known.has(toolCallId)),
    );
    if (loose.length === 0) return nothing;
    return html`<ol class="hp-messages">
      ${loose.map((record) => html`<li class="hp-said">${showLooseRecord(record, this.clock())}</li>`)}
    </ol>`;
  }

  #renderMessage(message: Message) {
    const text = textOf(message);
    switch (message.role) {
      case 'user':
        return html`<li class="hp-said hp-user">
          <span class="hp-hidden">${translate('You said:')}</span>
          <div class="hp-bubble" dir="auto">${visibleText(text)}</div>
        </li>`;
      case 'activity':
        return html`<li class="hp-said">
          ${showActivity(message, {
            showCall: (call, result) => this.#renderCall(call, result),
            isDone: ({ id }, result) => hadEffect(result, this.#records.get(id) ?? []),
          })}
        </li>`;
      case 'reasoning':
        return html`<li class="hp-said">
          <details class="hp-call">
            <summary>
              ${icon('help')}<strong class="hp-call-title">${translate('Thoughts')}</strong>${icon('down')}
            </summary>
            <div class="hp-args hp-lines">${visibleText(text)}</div>
          </details>
        </li>`;
      case 'assistant':
        return html`<li class="hp-said hp-assistant">
          ${
            text === ''
              ? nothing
              : html`<span class="hp-hidden"
                    >${translate('{0} said:', visibleText(this.agent ?? translate('The agent')))}</span
                  >
                  <div class="hp-text" dir="auto">${guard([text], () => markdown(text))}</div>`
          }
          ${(message.toolCalls ?? []).map(({ id, function: { name, arguments: args } }) =>
            this.#renderCall({ id, name, args }, this.#results.get(id)),
          )}
        </li>`;
      default:
        return nothing;
    }
  }

  #renderCall(call: CallShown, result: ToolResult | undefined): TemplateResult {
    const { interrupts, expired, running: isRunning } = this;
    const records = this.#records.get(call.id) ?? [];
    const state = toolCallState(call, { result, interrupts, expired, records, isRunning });
    return showToolCall({ call, state, result, records, now: this.clock() });
  }
}

/** Roles without an entry of their own: tool results are shown with their calls. */
const HIDDEN = new Set<Message['role']>(['tool', 'system', 'developer']);

function byCall(records: readonly InterruptEntry[]): Map<string, InterruptEntry[]> {
  const found = new Map<string, InterruptEntry[]>();
  for (const record of records) {
    const { toolCallId } = record.interrupt;
    if (toolCallId !== undefined) found.set(toolCallId, [...(found.get(toolCallId) ?? []), record]);
  }
  return found;
}

function firstDifference(before: readonly Message[], after: readonly Message[]): number {
  let at = 0;
  while (at < after.length && after[at] === before[at]) at += 1;
  return at;
}

/** The same value, or two empty lists. */
function isSame(one: unknown, other: unknown): boolean {
  return one === other || (isEmpty(one) && isEmpty(other));
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}
