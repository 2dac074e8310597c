import type { TemplateResult } from 'lit';
import { html, nothing } from 'lit';
import { icon, translate } from '../../src/elements/index.ts';
import type { AgentInfo } from '../host.ts';

/** The title of the conversation, its agent, and buttons for the list, the name and the deletion. */
export function chatHead(options: {
  readonly agent: AgentInfo;
  readonly agents: readonly { readonly id: string; readonly name?: string }[];
  /** Undefined for a conversation without messages. */
  readonly title: string | undefined;
  readonly isListShown: boolean;
  readonly isRenaming: boolean;
  readonly toggleList: () => void;
  readonly startRename: () => void;
  /** Undefined leaves the name as it is. */
  readonly rename: (title: string | undefined) => void;
  readonly remove: () => Promise<void>;
  readonly erase: () => Promise<void>;
}): TemplateResult {
  const { agent, agents, title } = options;
  return html`<div class="chat-head">
    <button
      type="button"
      class="hp-button hp-quiet hp-square chat-list-button"
      aria-label=${translate('Conversations')}
      aria-expanded=${options.isListShown ? 'true' : 'false'}
      aria-controls="threads"
      @click=${options.toggleList}
    >
      ${icon('list')}
    </button>
    ${options.isRenaming ? renameForm(title ?? '', options.rename) : html`<h1 class="chat-title" dir="auto">${title ?? translate('New conversation')}</h1>`}
    ${
      agents.length > 1
        ? html`<label class="chat-agent">
            <span class="hp-hidden">${translate('Agent')}</span>
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
        : html`<span class="chat-agent">${translate('with {0}', agent.name)}</span>`
    }
    ${
      title === undefined || options.isRenaming
        ? nothing
        : html`<button
              type="button"
              class="hp-button hp-quiet hp-small"
              title=${translate('Rename')}
              id="rename"
              @click=${options.startRename}
            >
              ${icon('edit')}<span class="chat-label">${translate('Rename')}</span>
            </button>
            <button
              type="button"
              class="hp-button hp-quiet hp-small"
              title=${translate('Delete')}
              @click=${() => {
                if (confirm(translate('Delete this conversation? Its open requests are deleted too.')))
                  void options.remove();
              }}
            >
              ${icon('trash')}<span class="chat-label">${translate('Delete')}</span>
            </button>
            <button
              type="button"
              class="hp-button hp-quiet hp-small"
              title=${translate('Erase')}
              @click=${() => {
                if (
                  confirm(
                    translate('Erase this conversation? Its answers disappear from the audit history too.'),
                  )
                )
                  void options.erase();
              }}
            >
              ${icon('shield')}<span class="chat-label">${translate('Erase')}</span>
            </button>`
    }
  </div>`;
}

function renameForm(title: string, rename: (title: string | undefined) => void): TemplateResult {
  return html`<h1 class="hp-hidden">${title}</h1>
    <form
      class="chat-rename"
      @submit=${(event: Event) => {
        event.preventDefault();
        const input = (event.target as HTMLFormElement).querySelector('input');
        rename(input?.value.trim() ?? '');
      }}
      @keydown=${(event: KeyboardEvent) => {
        if (event.key === 'Escape') rename(undefined);
      }}
    >
      <label class="hp-hidden" for="title">${translate('Name of the conversation')}</label>
      <input class="hp-input" id="title" maxlength="200" .value=${title} />
      <button class="hp-button hp-primary hp-small">${translate('Save')}</button>
      <button type="button" class="hp-button hp-small" @click=${() => rename(undefined)}>
        ${translate('Keep')}
      </button>
    </form>`;
}
