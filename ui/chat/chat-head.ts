import type { TemplateResult } from 'lit';
import { html, nothing } from 'lit';
import type { Text } from '../../src/elements/index.ts';
import { icon, translate } from '../../src/elements/index.ts';
import type { IconName } from '../../src/elements/base/icon.ts';
import type { AgentInfo } from '../host.ts';
import { BASE_PATH } from '../router.ts';

/** The title of the conversation, its agent, and buttons for the list, the name and the deletion. */
export function chatHead(options: {
  readonly agent: AgentInfo;
  readonly agents: readonly { readonly id: string; readonly name?: string }[];
  /** Undefined for a conversation without messages. */
  readonly title: string | undefined;
  /** True for a conversation that the viewer may not see. */
  readonly isMissing: boolean;
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
    ${options.isRenaming ? renameForm(title ?? '', options.rename) : html`<h1 class="chat-title" dir="auto">${title ?? translate(options.isMissing ? 'Conversation' : 'New conversation')}</h1>`}
    ${
      agents.length > 1
        ? html`<label class="chat-agent">
            <span class="hp-hidden">${translate('Agent')}</span>
            <select
              class="hp-input"
              @change=${(event: Event) => {
                const { value } = event.target as HTMLSelectElement;
                location.assign(`${BASE_PATH}/?agent=${encodeURIComponent(value)}`);
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
        : actionMenu(
            html`<button
                type="button"
                class="hp-button hp-quiet hp-small"
                title=${translate('Rename')}
                id="rename"
                @click=${options.startRename}
              >
                ${icon('edit')}${translate('Rename')}
              </button>
              ${removeButton('trash', { ...DELETE, run: options.remove })}
              ${removeButton('eraser', { ...ERASE, run: options.erase })}`,
          )
    }
  </div>`;
}

/** The actions of a conversation: beside the title, and on a narrow screen in a menu that a button opens. */
function actionMenu(actions: TemplateResult): TemplateResult {
  const setOpen = (target: EventTarget | null, isOpen: boolean) => {
    const menu = target instanceof Element ? target.closest('.chat-menu') : null;
    menu?.toggleAttribute('data-open', isOpen);
    menu?.querySelector('.chat-menu-button')?.setAttribute('aria-expanded', String(isOpen));
  };
  const isOpen = (target: EventTarget | null) =>
    target instanceof Element && target.closest('.chat-menu')?.hasAttribute('data-open') === true;
  return html`<div
    class="chat-menu"
    @focusout=${({ currentTarget, relatedTarget }: FocusEvent) => {
      const isInside = relatedTarget instanceof Node && (currentTarget as Element).contains(relatedTarget);
      if (!isInside) setOpen(currentTarget, false);
    }}
    @keydown=${(event: KeyboardEvent) => {
      if (event.key !== 'Escape' || !isOpen(event.target)) return;
      (event.currentTarget as Element).querySelector<HTMLElement>('.chat-menu-button')?.focus();
      setOpen(event.currentTarget, false);
    }}
  >
    <button
      type="button"
      class="hp-button hp-quiet hp-square chat-menu-button"
      aria-label=${translate('Actions of this conversation')}
      aria-expanded="false"
      aria-controls="chat-actions"
      @click=${({ currentTarget }: Event) => setOpen(currentTarget, !isOpen(currentTarget))}
    >
      ${icon('more')}
    </button>
    <div
      class="chat-actions"
      id="chat-actions"
      @click=${({ currentTarget }: Event) => setOpen(currentTarget, false)}
    >
      ${actions}
    </div>
  </div>`;
}

/** What a removal is called, what it asks, and what it removes and keeps. */
interface Removal {
  readonly label: Text;
  readonly ask: Text;
  readonly about: Text;
}

const DELETE: Removal = {
  label: 'Delete',
  ask: 'Delete this conversation?',
  about:
    'Removes its messages, files and open requests. Approved calls that have not run yet do not run. Decided requests stay on the audit page and name you as the person who deleted the conversation.',
};
const ERASE: Removal = {
  label: 'Erase',
  ask: 'Erase this conversation?',
  about:
    'Removes its messages, its files, all its requests, also the decided ones on the audit page, and all names and values in the history. Approved calls that have not run yet do not run. Only the kind and time of each step stay.',
};

/** A button that says what it removes and what stays, and asks before it does. */
function removeButton(
  image: IconName,
  { label, ask, about, run }: Removal & { readonly run: () => Promise<void> },
): TemplateResult {
  return html`<button
    type="button"
    class="hp-button hp-quiet hp-small"
    title=${`${translate(label)}: ${translate(about)}`}
    @click=${() => {
      if (confirm(`${translate(ask)}\n\n${translate(about)}`)) void run();
    }}
  >
    ${icon(image)}${translate(label)}
  </button>`;
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
