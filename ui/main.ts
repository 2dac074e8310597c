import { defineElements, setStrings } from '../src/elements/index.ts';
import { AppElement } from './app-element.ts';
import { ChatPageElement } from './chat/chat-page.ts';
import { AuditPageElement } from './audit/audit-page.ts';
import { ThreadListElement } from './chat/thread-list.ts';
import { InboxPageElement } from './inbox/inbox-page.ts';
import { RequestPaneElement } from './inbox/request-pane.ts';
import { startRole } from './role.ts';
import { applyTheme, storedTheme } from './theme.ts';

applyTheme(storedTheme());
startRole();
if (navigator.language.startsWith('de')) {
  // Without the German texts the page is in English.
  const { german } = await import('../src/elements/base/german.ts').catch(() => ({ german: {} }));
  setStrings(german, navigator.language);
  document.documentElement.lang = 'de';
}
defineElements();
customElements.define('holdpoint-thread-list', ThreadListElement);
customElements.define('holdpoint-chat-page', ChatPageElement);
customElements.define('holdpoint-inbox-page', InboxPageElement);
customElements.define('holdpoint-request-pane', RequestPaneElement);
customElements.define('holdpoint-audit-page', AuditPageElement);
customElements.define('holdpoint-app', AppElement);
