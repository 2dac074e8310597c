import type { TemplateResult } from 'lit';
import { html, nothing } from 'lit';
import type { Client, InboxItem } from '../../src/client/index.ts';
import { callWords } from '../../src/elements/conversation/waiting-calls.ts';
import { isRecord } from '../../src/core/index.ts';
import {
  cardFacts,
  givenAnswerOf,
  icon,
  itemKey,
  moment,
  translate,
  visibleText,
} from '../../src/elements/index.ts';
import { showResult } from '../../src/elements/interrupt/show-value.ts';
import { chatPath, interruptPath, withAgent } from '../router.ts';
import { readRequests } from './decide-requests.ts';
import { isUnsettled, readDecision } from './request-context.ts';
import type { FollowedDecision } from './stored-decisions.ts';

/** Milliseconds before each look at calls that have not run, after the time to undo. The audit page has what fails later. */
const LOOKS_MS = [1000, 2000, 4000, 8000, 15_000, 30_000, 60_000];

/** Follows the calls of requests that were decided on this page, and keeps those that failed until a person closes them. */
export class FailedCalls {
  readonly #inbox: Client['inbox'];
  readonly #onChange: () => void;
  /** Keys of the requests whose failure was shown. */
  readonly #shown = new Set<string>();
  readonly #followed = new Map<string, FollowedDecision>();
  #items: readonly InboxItem[] = [];

  constructor(inbox: Client['inbox'], onChange: () => void) {
    this.#inbox = inbox;
    this.#onChange = onChange;
  }

  /** The requests whose calls failed, the newest last. */
  get items(): readonly InboxItem[] {
    return this.#items;
  }

  /** The decisions whose calls have not run, or have failed and are not closed. */
  get followed(): readonly FollowedDecision[] {
    return [...this.#followed.values()];
  }

  close(item: InboxItem): void {
    this.#items = this.#items.filter((one) => one !== item);
    this.#forget([item]);
  }

  /** Looks at the calls of these requests until each has run, first after `afterMs`: until then their decisions can be undone. */
  async follow(items: readonly InboxItem[], afterMs: number): Promise<void> {
    const from = Date.now() + afterMs;
    for (const item of items) this.#followed.set(itemKey(item), { item, from });
    this.#onChange();
    await pause(afterMs);
    let running = items;
    for (const pauseMs of LOOKS_MS) {
      if (running.length === 0) return;
      await pause(pauseMs);
      const now = await readRequests(this.#inbox, running);
      this.#forget(running.filter((item) => now.get(itemKey(item)) === 'erased'));
      running = running.filter((item) => {
        const current = now.get(itemKey(item));
        return current === undefined || (current !== 'erased' && isUnsettled(current));
      });
      const settled = [...now.values()]
        .filter((item) => item !== 'erased')
        .filter((item) => !isUnsettled(item));
      await this.#show(settled.filter(isNewFailure));
      this.#forget(settled);
    }
    this.#forget(running);
  }

  /** Forgets decisions, except those whose failure is shown. */
  #forget(items: readonly InboxItem[]): void {
    const shown = new Set(this.#items.map(itemKey));
    for (const key of items.map(itemKey)) if (!shown.has(key)) this.#followed.delete(key);
    this.#onChange();
  }

  async #show(failed: readonly InboxItem[]): Promise<void> {
    const fresh = failed.filter((item) => !this.#shown.has(itemKey(item)));
    if (fresh.length === 0) return;
    for (const item of fresh) this.#shown.add(itemKey(item));
    // A list has no results.
    const read = ({ threadId, interrupt }: InboxItem) => this.#inbox.get(threadId, interrupt.id);
    const items = await Promise.all(fresh.map((item) => read(item).catch(() => item)));
    this.#items = [...this.#items, ...items];
  }
}

/** Answers to a failed call that do not make it again. */
const NOT_REPEATED: ReadonlySet<unknown> = new Set(['finished', 'skip', 'abort']);

/** True when the call of a decision failed. A decision to leave a failed call as it is reports no failure again. */
function isNewFailure(item: InboxItem): boolean {
  const payload: unknown = givenAnswerOf(item)?.payload;
  const isOld =
    item.interrupt.reason === 'error_recovery' && isRecord(payload) && NOT_REPEATED.has(payload['action']);
  return !isOld && readDecision(item).outcome === 'failed';
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

/** Renders the calls that failed: what was decided, why the call failed, and where to read more. */
export function failedCalls(
  { items }: FailedCalls,
  { now, close }: { readonly now: number; readonly close: (item: InboxItem) => void },
): TemplateResult | typeof nothing {
  if (items.length === 0) return nothing;
  return html`<div class="inbox-failures" role="alert">
    ${
      items.length < 2
        ? nothing
        : html`<p class="inbox-failures-all">
            <strong>${translate('{0} calls failed', items.length)}</strong>
            <button
              type="button"
              class="hp-button hp-small"
              @click=${() => {
                for (const item of items) close(item);
              }}
            >
              ${translate('Close all')}
            </button>
          </p>`
    }
    ${items.map(
      (item) =>
        html`<div class="hp-notice hp-bad">
          ${icon('alert')}
          <div>
            <strong><bdi>${failureOf(item, now)}</bdi></strong> ${reasonOf(item)} ${linkOf(item)}
          </div>
          <button type="button" class="hp-button hp-small" @click=${() => close(item)}>
            ${translate('Close')}
          </button>
        </div>`,
    )}
  </div>`;
}

/** "Failed (14:02): Send $5,000 to ACME." A balance in its reason is the one of that time. */
function failureOf(item: InboxItem, now: number): string {
  const { interrupt } = item;
  // The message of a failed call says why it failed before.
  const words =
    interrupt.reason === 'error_recovery'
      ? visibleText(cardFacts(interrupt).title)
      : callWords({ interrupt, answered: givenAnswerOf(item) });
  const { endedAt } = item;
  return asSentence(
    typeof endedAt === 'string'
      ? translate('Failed ({0}): {1}', moment(Date.parse(endedAt), now), words)
      : translate('Failed: {0}', words),
  );
}

/** Why the call failed: "Not sent: the balance is $1,827." */
function reasonOf({ result, display, interrupt }: InboxItem): TemplateResult | typeof nothing {
  if (typeof result !== 'string' || result === '') return nothing;
  // The engine begins the error of a tool with "transferMoney failed: ".
  const prefix = `${cardFacts(interrupt).toolName ?? ''} failed: `;
  return result.startsWith(prefix)
    ? html`<bdi>${visibleText(asSentence(result.slice(prefix.length)))}</bdi>`
    : showResult(result, display);
}

function asSentence(text: string): string {
  return text.replace(/[^.!?…]$/, '$&.');
}

function linkOf({ threadId, interrupt, maySeeThread }: InboxItem): TemplateResult {
  const isOpen = maySeeThread === true;
  const words = translate(isOpen ? 'Open the conversation' : 'Open the request');
  const path = isOpen ? chatPath(threadId) : interruptPath(threadId, interrupt.id);
  // Another link of the page may have the same words.
  return html`<a href=${withAgent(path)} aria-label=${`${words}: ${visibleText(cardFacts(interrupt).title)}`}
    >${words}</a
  >`;
}
