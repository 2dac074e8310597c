/** Light, dark, or the system setting. */
export type Theme = 'system' | 'light' | 'dark';

const KEY = 'holdpoint:theme';
const THEMES: readonly Theme[] = ['system', 'light', 'dark'];

export function storedTheme(): Theme {
  const stored = localStorage.getItem(KEY);
  return THEMES.find((theme) => theme === stored) ?? 'system';
}

/** Applies a theme and stores it. */
export function applyTheme(theme: Theme): void {
  if (theme === 'system') {
    delete document.documentElement.dataset['theme'];
    localStorage.removeItem(KEY);
  } else {
    document.documentElement.dataset['theme'] = theme;
    localStorage.setItem(KEY, theme);
  }
}

/** The theme after this one. The first after the setting of the system looks different from it. */
export function nextTheme(theme: Theme): Theme {
  const isDark = matchMedia('(prefers-color-scheme: dark)').matches;
  const order: readonly Theme[] = isDark ? ['system', 'light', 'dark'] : ['system', 'dark', 'light'];
  return order[(order.indexOf(theme) + 1) % order.length] ?? 'system';
}
