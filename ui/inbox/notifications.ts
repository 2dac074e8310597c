import type { TemplateResult } from 'lit';
import { html, nothing } from 'lit';
import type { InboxItem } from '../../src/client/index.ts';
import { cardFacts, icon, itemKey, rowTitle, translate } from '../../src/elements/index.ts';
import { BASE_PATH } from '../router.ts';

const KEY = 'holdpoint:notify';

let known: ReadonlySet<string> | undefined;

/** Renders the switch for browser notifications; nothing where the browser has none or blocks them. */
export function notifyButton(changed: () => void): TemplateResult | typeof nothing {
  if (typeof Notification === 'undefined' || Notification.permission === 'denied') return nothing;
  const isOn = isWanted();
  return html`<button
    type="button"
    class="hp-button hp-quiet hp-small"
    aria-pressed=${isOn ? 'true' : 'false'}
    title=${translate('Show a notification when a request arrives while this page is in the background')}
    @click=${() => void toggle().then(changed)}
  >
    ${icon('bell')}${translate(isOn ? 'Notifications are on' : 'Notify me')}
  </button>`;
}

/** Shows a notification for requests that were not there before, while the page is in the background. */
export function notifyOf(items: readonly InboxItem[]): void {
  const before = known;
  known = new Set(items.map(itemKey));
  const added = before === undefined ? [] : items.filter((item) => !before.has(itemKey(item)));
  const [first] = added;
  if (first === undefined || document.visibilityState === 'visible' || !isWanted()) return;
  const title = translate('{0} request is waiting for you.|{0} requests are waiting for you.', added.length);
  const notification = new Notification(title, {
    body: rowTitle(cardFacts(first.interrupt)),
    tag: itemKey(first),
    icon: `${BASE_PATH}/assets/icon.svg`,
  });
  notification.addEventListener('click', () => {
    focus();
    notification.close();
  });
}

function isWanted(): boolean {
  return localStorage.getItem(KEY) === 'on' && Notification.permission === 'granted';
}

async function toggle(): Promise<void> {
  if (isWanted()) localStorage.removeItem(KEY);
  else if ((await Notification.requestPermission()) === 'granted') localStorage.setItem(KEY, 'on');
}
