// Reads the style sheet's colors for the painter, resolved for the current theme.
import { PORT_TYPES } from '../../../src/graph/types.ts';
import { KNOWN_CATEGORIES, toTypeName } from '../colors.ts';

export interface PaintColors {
  readonly categories: ReadonlyMap<string, string>;
  readonly types: ReadonlyMap<string, string>;
  readonly accent: string;
  readonly danger: string;
  readonly success: string;
  readonly warning: string;
  readonly background: string;
  readonly card: string;
  readonly ink: string;
  readonly muted: string;
  readonly line: string;
  /** Outlines of nodes and fields. */
  readonly edge: string;
  /** Background of fields and results. */
  readonly sunken: string;
  readonly font: string;
}

/** Reads the colors of the current theme. `probe` is a hidden element: variables resolve to colors only when used. */
export function readPaintColors(probe: HTMLElement): PaintColors {
  const resolveColor = (name: string): string => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  return {
    categories: new Map([...KNOWN_CATEGORIES].map(name => [name, resolveColor(`category-${name}`)])),
    types: new Map(PORT_TYPES.map(type => [toTypeName(type), resolveColor(`type-${toTypeName(type)}`)])),
    accent: resolveColor('accent'),
    danger: resolveColor('danger'),
    success: resolveColor('success'),
    warning: resolveColor('warning'),
    background: resolveColor('board'),
    card: resolveColor('float'),
    ink: resolveColor('ink'),
    muted: resolveColor('muted'),
    line: resolveColor('line'),
    edge: resolveColor('edge'),
    sunken: resolveColor('sunken'),
    font: getComputedStyle(probe).fontFamily,
  };
}

/** Calls back when the theme changes. Returns an unsubscribe function. */
export function watchTheme(onChange: () => void): () => void {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const observer = new MutationObserver(onChange);
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
  dark.addEventListener('change', onChange);
  return () => {
    observer.disconnect();
    dark.removeEventListener('change', onChange);
  };
}
