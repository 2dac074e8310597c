import type { TemplateResult } from 'lit';
import { html, nothing } from 'lit';
import { icon } from '../../src/elements/index.ts';
import type { AgentInfo } from '../host.ts';

/** The agent, a button for the other conversations, and a button to delete this one. */
export function chatHead(options: {
  readonly agent: AgentInfo;
  readonly agents: readonly { readonly id: string; readonly name?: string }[];
  readonly isListShown: boolean;
  readonly hasStarted: boolean;
  readonly toggleList: () => void;
  readonly remove: () => Promise<void>;
}): TemplateResult {
  const { agent, agents } = options;
  return html`<div class="chat-head">
    <button
      type="button"
      class="hp-button hp-quiet hp-square chat-list-button"
      aria-label="Conversations"
      aria-expanded=${options.isListShown ? 'true' : 'false'}
      aria-controls="threads"
      @click=${options.toggleList}
    >
      ${icon('list')}
    </button>
    ${
      agents.length > 1
        ? html`<h1 class="hp-hidden">${agent.name}</h1>
            <label class="chat-agent">
              <span class="hp-hidden">Agent</span>
              <select
                class="hp-input"
                @change=${(event: Event) => {
                  const { value } = event.target as HTMLSelectElement;
                  location.assign(`/?agent=${encodeURIComponent(value)}`);
                }}
              >
                ${agents.map(
                  ({ id, name }) =>
                    html`<option value=${id} ?selected=${id === agent.id}>${name ?? id}</option>`,
                )}
              </select>
            </label>`
        : html`<h1 class="chat-agent">${agent.name}</h1>`
    }
    ${
      options.hasStarted
        ? html`<button
            type="button"
            class="hp-button hp-quiet hp-small"
            @click=${() => {
              if (confirm('Delete this conversation? Its open requests are deleted too.'))
                void options.remove();
            }}
          >
            Delete
          </button>`
        : nothing
    }
  </div>`;
}
