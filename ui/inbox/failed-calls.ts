import type { TemplateResult } from 'lit';
import { html, nothing } from 'lit';
import type { Client, InboxItem } from '../../src/client/index.ts';
import { callWords } from '../../src/elements/conversation/waiting-calls.ts';
import { givenAnswerOf, icon, itemKey, translate } from '../../src/elements/index.ts';
import { showResult } from '../../src/elements/interrupt/show-value.ts';
import { chatPath, interruptPath, withAgent } from '../router.ts';
import { readRequests } from './decide-requests.ts';
import { isUnsettled, readDecision } from './request-context.ts';

/** Milliseconds before each look at calls that have not run, after the time to undo. The audit page has what fails later. */
const LOOKS_MS = [1000, 2000, 4000, 8000, 15_000, 30_000, 60_000];

/** Follows the calls of requests that were decided on this page, and keeps those that failed until a person closes them. */
export class FailedCalls {
  readonly #inbox: Client['inbox'];
  readonly #onChange: () => void;
  /** Keys of the requests whose failure was shown. */
  readonly #shown = new Set<string>();
  #items: readonly InboxItem[] = [];

  constructor(inbox: Client['inbox'], onChange: () => void) {
    this.#inbox = inbox;
    this.#onChange = onChange;
  }

  /** The requests whose calls failed, the newest last. */
  get items(): readonly InboxItem[] {
    return this.#items;
  }

  close(item: InboxItem): void {
    this.#items = this.#items.filter((one) => one !== item);
    this.#onChange();
  }

  /** Looks at the calls of these requests until each has run, first after `afterMs`: until then their decisions can be undone. */
  async follow(items: readonly InboxItem[], afterMs: number): Promise<void> {
    await pause(afterMs);
    let running = items;
    for (const pauseMs of LOOKS_MS) {
      if (running.length === 0) return;
      await pause(pauseMs);
      const now = await readRequests(this.#inbox, running);
      running = running.filter((item) => {
        const current = now.get(itemKey(item));
        return current === undefined || isUnsettled(current);
      });
      await this.#show(
        [...now.values()].filter((item) => !isUnsettled(item) && readDecision(item).outcome === 'failed'),
      );
    }
  }

  async #show(failed: readonly InboxItem[]): Promise<void> {
    const fresh = failed.filter((item) => !this.#shown.has(itemKey(item)));
    if (fresh.length === 0) return;
    for (const item of fresh) this.#shown.add(itemKey(item));
    // A list has no results.
    const read = ({ threadId, interrupt }: InboxItem) => this.#inbox.get(threadId, interrupt.id);
    const items = await Promise.all(fresh.map((item) => read(item).catch(() => item)));
    this.#items = [...this.#items, ...items];
    this.#onChange();
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

/** Renders the calls that failed: what was decided, why the call failed, and where to read more. */
export function failedCalls(
  { items }: FailedCalls,
  close: (item: InboxItem) => void,
): TemplateResult | typeof nothing {
  if (items.length === 0) return nothing;
  return html`<div class="inbox-failures" role="alert">
    ${items.map(
      (item) =>
        html`<div class="hp-notice hp-bad">
          ${icon('alert')}
          <div>
            <strong
              ><bdi
                >${translate('Failed: {0}', callWords({ interrupt: item.interrupt, answered: givenAnswerOf(item) }))}</bdi
              ></strong
            >${reasonOf(item)} ${linkOf(item)}
          </div>
          <button type="button" class="hp-button hp-small" @click=${() => close(item)}>
            ${translate('Close')}
          </button>
        </div>`,
    )}
  </div>`;
}

function reasonOf({ result, display }: InboxItem): TemplateResult | typeof nothing {
  return typeof result === 'string' && result !== '' ? html`: ${showResult(result, display)}` : nothing;
}

function linkOf({ threadId, interrupt, maySeeThread }: InboxItem): TemplateResult {
  return maySeeThread === true
    ? html`<a href=${withAgent(chatPath(threadId))}>${translate('Open the conversation')}</a>`
    : html`<a href=${withAgent(interruptPath(threadId, interrupt.id))}>${translate('Open the request')}</a>`;
}
