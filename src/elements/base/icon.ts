import type { TemplateResult } from 'lit';
import { html } from 'lit';

const PATHS = {
  alert: 'M12 9v4m0 4h.01M10.3 3.9 2 18a2 2 0 0 0 1.7 3h16.6a2 2 0 0 0 1.7-3L13.7 3.9a2 2 0 0 0-3.4 0Z',
  back: 'M19 12H5m6-6-6 6 6 6',
  bell: 'M18 8a6 6 0 1 0-12 0c0 7-3 9-3 9h18s-3-2-3-9m-4.3 13a2 2 0 0 1-3.4 0',
  ban: 'M12 22a10 10 0 1 0 0-20 10 10 0 0 0 0 20ZM5 5l14 14',
  chat: 'M21 12a8 8 0 0 1-8 8H4l2-3a8 8 0 1 1 15-5Z',
  check: 'M20 6 9 17l-5-5',
  clock: 'M12 22a10 10 0 1 0 0-20 10 10 0 0 0 0 20Zm0-16v6l4 2',
  close: 'M18 6 6 18M6 6l12 12',
  contrast: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18ZM12 3v18M15 4v16M18 6v12',
  down: 'm6 9 6 6 6-6',
  eraser: 'm8 20-5-5a2 2 0 0 1 0-3l8-8a2 2 0 0 1 3 0l6 6a2 2 0 0 1 0 3l-7 7H8Zm0 0h13M7 8l9 9',
  edit: 'M17 3a2.8 2.8 0 0 1 4 4L8 20l-5 1 1-5L17 3Z',
  file: 'M14 2H6a2 2 0 0 0-2 2v16a2 2 0 0 0 2 2h12a2 2 0 0 0 2-2V8l-6-6Zm0 0v6h6',
  help: 'M12 22a10 10 0 1 0 0-20 10 10 0 0 0 0 20Zm-2.5-13a2.5 2.5 0 1 1 3.5 2.3c-.7.3-1 .9-1 1.7m0 3h.01',
  inbox: 'M3 13h5l2 3h4l2-3h5M5.5 5h13L21 13v6a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1v-6L5.5 5Z',
  list: 'M4 6h16M4 12h16M4 18h16',
  more: 'M6 12a1 1 0 1 1-2 0 1 1 0 0 1 2 0Zm7 0a1 1 0 1 1-2 0 1 1 0 0 1 2 0Zm7 0a1 1 0 1 1-2 0 1 1 0 0 1 2 0Z',
  minus: 'M5 12h14',
  plus: 'M12 5v14M5 12h14',
  question: 'M9 9a3 3 0 1 1 4 2.8c-.7.3-1 .9-1 1.7m0 3.5h.01',
  retry: 'M21 12a9 9 0 1 1-2.6-6.4L21 8m0-5v5h-5',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14Zm5-2 4 4',
  send: 'M12 19V5m-6 6 6-6 6 6',
  shield: 'M12 22s8-4 8-10V5l-8-3-8 3v7c0 6 8 10 8 10Z',
  spinner: 'M12 2a10 10 0 0 1 10 10',
  stop: 'M6 6h12v12H6Z',
  tool: 'M8 4C6 4 5 5 5 7v2c0 1.5-.5 3-2 3 1.5 0 2 1.5 2 3v2c0 2 1 3 3 3m8-16c2 0 3 1 3 3v2c0 1.5.5 3 2 3-1.5 0-2 1.5-2 3v2c0 2-1 3-3 3',
  trash: 'M4 7h16M10 11v6m4-6v6M6 7l1 13h10l1-13M9 7V4h6v3',
  upload: 'M12 16V4m-5 5 5-5 5 5M4 16v3a1 1 0 0 0 1 1h14a1 1 0 0 0 1-1v-3',
} as const;

/** The name of an icon. */
export type IconName = keyof typeof PATHS;

/** A decorative icon beside a label; hidden from screen readers. */
export function icon(name: IconName): TemplateResult {
  return html`<svg class="hp-icon hp-icon-${name}" viewBox="0 0 24 24" aria-hidden="true">
    <path d=${PATHS[name]}></path>
  </svg>`;
}
