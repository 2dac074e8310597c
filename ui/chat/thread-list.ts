import type { TemplateResult } from 'lit';
import { html, nothing } from 'lit';
import { ago, icon } from '../../src/elements/index.ts';
import type { ThreadInfo } from '../host.ts';
import { chatPath, withAgent } from '../router.ts';
import { titleOf } from './thread-titles.ts';

/** The conversations of this host, with the number of open interrupts in each. */
export function threadList(options: {
  readonly threads: readonly ThreadInfo[];
  readonly current: string;
  readonly waiting: ReadonlyMap<string, number>;
  readonly now: number;
}): TemplateResult {
  const { threads, current, waiting, now } = options;
  const newest = threads.toSorted((one, other) => other.createdAt.localeCompare(one.createdAt));
  return html`<nav class="threads" aria-label="Conversations">
    <a class="hp-button threads-new" href=${withAgent('/')}>${icon('plus')}New conversation</a>
    ${newest.length === 0 ? html`<p class="hp-muted">No conversations yet.</p>` : nothing}
    <ul>
      ${newest.map((thread) => {
        const open = waiting.get(thread.threadId) ?? 0;
        return html`<li>
          <a
            href=${withAgent(chatPath(thread.threadId))}
            aria-current=${thread.threadId === current ? 'page' : nothing}
          >
            <span class="threads-title">${titleOf(thread)}</span>
            ${
              open > 0
                ? html`<span class="app-count">${open}<span class="hp-hidden"> open requests</span></span>`
                : nothing
            }
            <span class="threads-age">
              ${thread.status === 'failed' ? 'failed · ' : thread.status === 'active' ? 'at work · ' : ''}${ago(
                Date.parse(thread.createdAt),
                now,
              )}
            </span>
          </a>
        </li>`;
      })}
    </ul>
  </nav>`;
}
