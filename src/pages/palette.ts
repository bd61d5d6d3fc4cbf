// The colours of the pages, light and dark; a test checks every pair of text and background against WCAG AA.

export interface Palette {
  readonly paper: string;
  /** Cards, code, tinted bands. */
  readonly raised: string;
  readonly line: string;
  readonly ink: string;
  /** Text of less weight. */
  readonly soft: string;
  readonly accent: string;
  /** A ground that is tinted with the accent. */
  readonly tint: string;
}

export const LIGHT: Palette = {
  paper: '#fdfdfc',
  raised: '#f4f4f1',
  line: '#e2e2dc',
  ink: '#17181b',
  soft: '#585d66',
  accent: '#3146c9',
  tint: '#eef0fc',
};

export const DARK: Palette = {
  paper: '#101216',
  raised: '#191c22',
  line: '#2b2f37',
  ink: '#ecedef',
  soft: '#a3a8b2',
  accent: '#a3b2ff',
  tint: '#1a2038',
};
