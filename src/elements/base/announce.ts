/** Milliseconds after which a text goes away: a reader who comes to it later would take it for the present. */
const KEPT_MS = 10_000;

let region: HTMLElement | undefined;
let clearing: ReturnType<typeof setTimeout> | undefined;

/** Announces a text to screen readers through one polite live region, created on first use. `keptMs`: after so long it is untrue. */
export function announce(text: string, keptMs = KEPT_MS): void {
  if (region?.isConnected !== true) {
    region = document.createElement('div');
    region.className = 'hp-hidden';
    region.setAttribute('role', 'status');
    region.setAttribute('aria-live', 'polite');
    document.body.append(region);
  }
  // A live region announces only changed text, so a repeated sentence gets a trailing space.
  region.textContent = region.textContent === text ? `${text}\u00A0` : text;
  clearTimeout(clearing);
  clearing = setTimeout(() => region?.replaceChildren(), Math.min(keptMs, KEPT_MS));
}
