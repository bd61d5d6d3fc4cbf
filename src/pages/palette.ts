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
  /** Of what went well, asks for care, or failed. */
  readonly success: string;
  readonly warning: string;
  readonly danger: string;
}

export const LIGHT: Palette = {
  paper: '#fdfdfc',
  raised: '#f4f4f1',
  line: '#e2e2dc',
  ink: '#17181b',
  soft: '#585d66',
  accent: '#3146c9',
  tint: '#eef0fc',
  success: '#17703f',
  warning: '#855300',
  danger: '#b8252b',
};

export const DARK: Palette = {
  paper: '#101216',
  raised: '#191c22',
  line: '#2b2f37',
  ink: '#ecedef',
  soft: '#a3a8b2',
  accent: '#a3b2ff',
  tint: '#1a2038',
  success: '#62d49b',
  warning: '#f0b65c',
  danger: '#ff8f8c',
};

/** The colours as variables: those of the system, or those that `data-theme` on the root element names. */
export const PALETTE_RULES = `:root{color-scheme:light dark;${variables(LIGHT)}}@media (prefers-color-scheme:dark){:root{${variables(DARK)}}}:root[data-theme=light]{color-scheme:light;${variables(LIGHT)}}:root[data-theme=dark]{color-scheme:dark;${variables(DARK)}}`;

function variables(palette: Palette): string {
  return Object.entries(palette)
    .map(([name, value]) => `--${name}:${value}`)
    .join(';');
}
