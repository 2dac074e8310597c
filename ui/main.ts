import { defineElements } from '../src/elements/index.ts';
import { AppElement } from './app-element.ts';
import { ChatPageElement } from './chat/chat-page.ts';
import { ComposerElement } from './chat/composer.ts';
import { ThreadListElement } from './chat/thread-list.ts';
import { InboxPageElement } from './inbox/inbox-page.ts';
import { InterruptPageElement } from './inbox/interrupt-page.ts';
import { applyTheme, storedTheme } from './theme.ts';

applyTheme(storedTheme());
defineElements();
customElements.define('holdpoint-composer', ComposerElement);
customElements.define('holdpoint-thread-list', ThreadListElement);
customElements.define('holdpoint-chat-page', ChatPageElement);
customElements.define('holdpoint-inbox-page', InboxPageElement);
customElements.define('holdpoint-interrupt-page', InterruptPageElement);
customElements.define('holdpoint-app', AppElement);
