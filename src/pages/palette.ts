// Defines the colors of all pages, light and dark. A test checks every pair of text and background against WCAG AA.

export interface Palette {
  readonly paper: string;
  /** Background of cards and code. */
  readonly raised: string;
  readonly line: string;
  readonly ink: string;
  /** Secondary text. */
  readonly muted: string;
  readonly accent: string;
  /** Background tinted with the accent color. */
  readonly tint: string;
  /** Status colors. */
  readonly success: string;
  readonly warning: string;
  readonly danger: string;
}

export const LIGHT: Palette = {
  paper: '#fdfdfc',
  raised: '#f4f4f1',
  line: '#e2e2dc',
  ink: '#17181b',
  muted: '#585d66',
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
  muted: '#aeb3bd',
  accent: '#a3b2ff',
  tint: '#1a2038',
  success: '#62d49b',
  warning: '#f0b65c',
  danger: '#ff8f8c',
};

/** Sets CSS variables of the colors for the theme in `data-theme` of the root element, otherwise for the system's theme. */
export const PALETTE_RULES = `:root{color-scheme:light dark;${toVariables(LIGHT)}}@media (prefers-color-scheme:dark){:root{${toVariables(DARK)}}}:root[data-theme=light]{color-scheme:light;${toVariables(LIGHT)}}:root[data-theme=dark]{color-scheme:dark;${toVariables(DARK)}}`;

function toVariables(palette: Palette): string {
  return Object.entries(palette)
    .map(([name, value]) => `--${name}:${value}`)
    .join(';');
}
