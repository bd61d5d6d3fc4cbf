// Reads and sets the theme. A cookie stores it, so that the service renders pages in the right theme.
import { create } from 'zustand';

export type Theme = 'system' | 'light' | 'dark';

const YEAR_S = 365 * 24 * 3600;

const readTheme = (): Theme => {
  const { theme } = document.documentElement.dataset;
  return theme === 'light' || theme === 'dark' ? theme : 'system';
};

export const useTheme = create<{ readonly theme: Theme }>(() => ({ theme: readTheme() }));

export function setTheme(theme: Theme): void {
  const isSystem = theme === 'system';
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API needs https, and not every browser has it
  document.cookie = `theme=${isSystem ? '' : theme}; path=/; samesite=lax; max-age=${isSystem ? 0 : YEAR_S}`;
  if (isSystem) delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  useTheme.setState({ theme });
}
