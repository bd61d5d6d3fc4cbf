// Checks and resolves the names that a graph uses: theme tokens, fonts, assets. Unknown names become issues by pointer.
import type { Issue } from '../../lib/errors.ts';
import type { SceneGraph } from '../schema/scene-graph.ts';
import { parseColor } from './color.ts';
import type { Rgba } from './draw-list.ts';
import type { Names } from './scope.ts';

const BUNDLED_FAMILIES = ['Inter', 'Playfair Display', 'Anton', 'JetBrains Mono'] as const;

export interface ResolvedNames {
  readonly names: Names;
  readonly issues: readonly Issue[];
  readonly warnings: readonly string[];
}

/** Properties whose text is content or data, in which `$` has no special meaning. */
const PLAIN_TEXT_KEYS: ReadonlySet<string> = new Set([
  'text',
  'prefix',
  'suffix',
  'separator',
  'name',
  'id',
  'markup',
  'metadata',
  'props',
  'data',
  'srt',
  'vtt',
  'src',
  'path',
  'time',
  'start',
  'end',
  'family',
  'use',
]);

export function resolveNames(graph: SceneGraph): ResolvedNames {
  const issues: Issue[] = [];
  const warnings: string[] = [];
  const report: ReportIssue = (path, code, message) => issues.push({ path, code, message });
  const colors = resolveColors(graph.theme?.colors ?? {}, report);
  const families = resolveFamilies(graph);
  const names: Names = { colors, families, assets: graph.assets ?? {}, defaults: graph.defaults ?? {} };
  visitTexts(graph, (key, value, pointer) => {
    if (key === 'asset') {
      if (!Object.hasOwn(names.assets, value))
        report(pointer, 'unknown_asset', `refers to an unknown asset: ${value}`);
    } else if (key === 'fontFamily') {
      if (!families.has(value))
        warnings.push(`${pointer}: The font "${value}" is not available. Inter is used instead.`);
    } else if (value.startsWith('$')) {
      if (!colors.has(value) && !pointer.startsWith('/theme/'))
        report(pointer, 'unknown_token', `is not a color of the theme: ${value}`);
    } else if (COLOR_KEYS.has(key) && parseColor(value) === undefined)
      report(pointer, 'invalid_color', `is not a color: ${value}`);
  });
  return { names, issues, warnings };
}

/** Properties that contain colors as text, besides those of the theme. */
const COLOR_KEYS: ReadonlySet<string> = new Set(['color', 'fill', 'background', 'trackColor', 'highlight']);

/** Calls `visit` for every text of the graph that may be a name, with its key and pointer. */
function visitTexts(graph: SceneGraph, visit: (key: string, value: string, pointer: string) => void): void {
  const pending: { value: unknown; key: string; pointer: string }[] = [
    { value: graph, key: '', pointer: '' },
  ];
  for (let entry = pending.pop(); entry !== undefined; entry = pending.pop()) {
    const { value, pointer } = entry;
    if (typeof value === 'string') visit(entry.key, value, pointer);
    else if (typeof value === 'object' && value !== null)
      // Pushed in reverse order, so that issues are reported in document order.
      for (const [key, inner] of Object.entries(value).reverse()) {
        if (PLAIN_TEXT_KEYS.has(key)) continue;
        pending.push({
          value: inner,
          key: Array.isArray(value) ? entry.key : key,
          pointer: `${pointer}/${key}`,
        });
      }
  }
}

type ReportIssue = (path: string, code: string, message: string) => void;

function resolveColors(
  theme: Readonly<Record<string, string>>,
  report: ReportIssue,
): ReadonlyMap<string, Rgba> {
  const colors = new Map<string, Rgba>();
  for (const [name, themeValue] of Object.entries(theme)) {
    let value: string | undefined = themeValue;
    // A token may refer to another token. More steps than there are tokens means a circular reference.
    for (let step = 0; value?.startsWith('$') === true && step <= Object.keys(theme).length; step++)
      value = Object.hasOwn(theme, value.slice(1)) ? theme[value.slice(1)] : undefined;
    const color = value === undefined ? undefined : parseColor(value);
    if (color === undefined)
      report(`/theme/colors/${name}`, 'invalid_color', `is not a color: ${themeValue}`);
    else colors.set(`$${name}`, color);
  }
  return colors;
}

function resolveFamilies(graph: SceneGraph): ReadonlyMap<string, string> {
  const families = new Map<string, string>(BUNDLED_FAMILIES.map(name => [name, name]));
  for (const { family, use } of graph.fonts ?? []) families.set(family, use);
  for (const [name, family] of Object.entries(graph.theme?.fonts ?? {}))
    families.set(`$${name}`, families.get(family) ?? 'Inter');
  return families;
}
