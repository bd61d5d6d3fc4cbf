// Builds the style sheet of a drawn graph for light and dark themes. Uses classes instead of CSS variables, which
// rasterizers may not support.

export type Theme = 'light' | 'dark' | 'auto';

interface Palette {
  readonly canvas: string;
  readonly dot: string;
  readonly card: string;
  readonly line: string;
  readonly ink: string;
  readonly muted: string;
  readonly field: string;
  readonly frame: string;
  readonly shadow: string;
  readonly note: string;
}

const LIGHT: Palette = {
  canvas: '#f6f7f9',
  dot: '#dde1e7',
  card: '#ffffff',
  line: '#dfe3e8',
  ink: '#1b2430',
  muted: '#6b7683',
  field: '#f3f5f8',
  frame: '#64748b',
  shadow: '#0f172a',
  note: '#4a3b06',
};

const DARK: Palette = {
  canvas: '#0e1116',
  dot: '#232a34',
  card: '#181d25',
  line: '#2c3440',
  ink: '#e8ecf1',
  muted: '#8d98a7',
  field: '#11151b',
  frame: '#8fa3bd',
  shadow: '#000000',
  note: '#4a3b06',
};

/** Colors by port type. Any other type is drawn as ANY. */
export const PORT_COLORS: Readonly<Record<string, string>> = {
  TEXT: '#3e8ef7',
  NUMBER: '#14a8a0',
  JSON: '#e0942a',
  IMAGE: '#8b5cf6',
  VIDEO: '#e4508b',
  AUDIO: '#2fa866',
  LIST: '#6673e8',
  ANY: '#8793a3',
};

/** Colors by the category of the catalog entry. */
export const CATEGORY_COLORS: Readonly<Record<string, string>> = {
  input: '#2fa866',
  model: '#8b5cf6',
  utility: '#3e8ef7',
  logic: '#e0942a',
  output: '#e4508b',
  video: '#6673e8',
};

export const FONT = "Inter, 'Segoe UI', 'Helvetica Neue', Arial, 'Noto Sans', sans-serif";

/** Returns the content of the `style` element. Every class begins with `gw-`, because a page may inline the SVG. */
export function createStyleSheet(theme: Theme): string {
  if (theme === 'light') return createRules(LIGHT);
  if (theme === 'dark') return createRules(DARK);
  return `${createRules(LIGHT)}@media (prefers-color-scheme:dark){${createRules(DARK)}}`;
}

function createRules(palette: Palette): string {
  return [
    `.gw-canvas{fill:${palette.canvas}}`,
    `.gw-dot{fill:${palette.dot}}`,
    `.gw-card{fill:${palette.card};stroke:${palette.line};stroke-width:1}`,
    `.gw-rule{stroke:${palette.line};stroke-width:1}`,
    `.gw-hole{stroke:${palette.card};stroke-width:2}`,
    `.gw-halo{stroke:${palette.canvas};stroke-width:5;fill:none}`,
    `.gw-field{fill:${palette.field};stroke:${palette.line};stroke-width:1}`,
    `.gw-frame{fill:${palette.frame};fill-opacity:.07;stroke:${palette.frame};stroke-opacity:.35;stroke-width:1.5}`,
    `.gw-frame-title{fill:${palette.frame}}`,
    `.gw-shadow{fill:${palette.shadow};fill-opacity:.06}`,
    `.gw-ink{fill:${palette.ink}}`,
    `.gw-muted{fill:${palette.muted}}`,
    `.gw-note{fill:${palette.note}}`,
  ].join('');
}
