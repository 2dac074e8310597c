let region: HTMLElement | undefined;

/** Says something to whoever listens to the screen: one polite region of the page, made when it is first needed. */
export function announce(text: string): void {
  if (region?.isConnected !== true) {
    region = document.createElement('div');
    region.className = 'hp-hidden';
    region.setAttribute('role', 'status');
    region.setAttribute('aria-live', 'polite');
    document.body.append(region);
  }
  // The same sentence twice is said twice only when the text changes in between.
  region.textContent = region.textContent === text ? `${text}\u00A0` : text;
}
