// Converts text and counter elements to text content, with lengths in pixels and bundled font families.

import { ease } from '../../graph/easing.ts';
import type { Shadow } from '../schema/common.ts';
import type { CounterElement, TextElement, TextStyle } from '../schema/elements.ts';
import type { Split } from '../schema/motion.ts';
import type { ResolvedShadow, SplitState, TextContent, TextRun } from './draw-list.ts';
import { type Names, resolveColor, type Scope, toFill, toPixels, toSeconds } from './scope.ts';

export function toTextContent(element: TextElement, scope: Scope, boxHeight: number): TextContent {
  const style = toStyleContent(element, scope);
  const runs = element.runs ?? [{ text: element.text ?? '' }];
  const hasBounds = Number.isFinite(boxHeight) || element.maxLines !== undefined;
  const length = runs.reduce((sum, { text }) => sum + text.length, 0);
  const textBackground = element.textBackground;
  const height = Number.isFinite(boxHeight) ? boxHeight : 0;
  return {
    ...style,
    runs: runs.map(
      (run): TextRun => ({
        text: toDrawnText(run.text, element.case ?? scope.names.defaults.text?.case),
        family: run.fontFamily === undefined ? style.family : getFamily(run.fontFamily, scope.names),
        weight: run.fontWeight ?? style.weight,
        italic: run.italic ?? style.italic,
        size: run.size ?? 1,
        ...(run.color === undefined ? {} : { color: resolveColor(run.color, scope.names) }),
        ...(run.underline === true ? { underline: true } : {}),
        ...(run.highlight === undefined ? {} : { highlight: resolveColor(run.highlight, scope.names) }),
      }),
    ),
    fit: element.fit ?? (hasBounds ? 'shrink' : 'none'),
    minSize: element.minSize === undefined ? style.size * 0.25 : toPixels(element.minSize, height, scope),
    maxSize: element.maxSize === undefined ? style.size * 4 : toPixels(element.maxSize, height, scope),
    vAlign: element.vAlign ?? 'middle',
    direction: element.direction ?? 'auto',
    maxLines: element.maxLines ?? 100,
    overflow: element.overflow ?? 'ellipsis',
    ...(textBackground === undefined
      ? {}
      : {
          textBackground: {
            color: resolveColor(textBackground.color, scope.names),
            per: textBackground.per ?? 'line',
            padding: textBackground.padding ?? 0.3,
            radius: textBackground.radius ?? 0.15,
          },
        }),
    ...(element.split === undefined ? {} : { split: toSplitState(element.split, length, scope) }),
  };
}

export function toCounterContent(element: CounterElement, scope: Scope): TextContent {
  const style = toStyleContent(element, scope);
  const runFor = toSeconds(element.runFor ?? Math.min(2, scope.span * 0.6), scope.span, scope.fps);
  const { from = 0, to } = element;
  const value = from + (to - from) * ease(element.easing ?? 'expo-out', scope.now / Math.max(1e-6, runFor));
  const text = `${element.prefix ?? ''}${formatNumber(value, element)}${element.suffix ?? ''}`;
  return {
    ...style,
    runs: [{ text, family: style.family, weight: style.weight, italic: style.italic, size: 1 }],
    fit: 'shrink',
    minSize: style.size * 0.25,
    maxSize: style.size,
    vAlign: 'middle',
    direction: 'ltr',
    maxLines: 1,
    overflow: 'visible',
  };
}

function formatNumber(value: number, { decimals = 0, separator = ',' }: CounterElement): string {
  const [whole = '0', part] = Math.abs(value).toFixed(decimals).split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, separator);
  const isNegative = value < 0 && (Number(whole) !== 0 || Number(part) > 0);
  return `${isNegative ? '−' : ''}${grouped}${part === undefined ? '' : `.${part}`}`;
}

type StyleContent = Pick<
  TextContent,
  'kind' | 'fill' | 'size' | 'lineHeight' | 'letterSpacing' | 'align' | 'stroke' | 'shadow'
> &
  Pick<TextRun, 'family' | 'weight' | 'italic'>;

/** Merges the element's own style over `defaults.text`. */
export function toStyleContent(ownStyle: TextStyle, scope: Scope): StyleContent {
  const style: TextStyle = { ...scope.names.defaults.text, ...ownStyle };
  return {
    kind: 'text',
    family: getFamily(style.fontFamily ?? 'Inter', scope.names),
    weight: style.fontWeight ?? 600,
    italic: style.italic ?? false,
    fill: toFill(style.color ?? '#ffffff', scope.names),
    size: Math.max(1, toPixels(style.fontSize ?? '6vmin', scope.height, scope)),
    lineHeight: style.lineHeight ?? 1.2,
    letterSpacing: style.letterSpacing ?? 0,
    align: style.align ?? 'center',
    ...(style.stroke === undefined
      ? {}
      : { stroke: { color: resolveColor(style.stroke.color, scope.names), width: style.stroke.width } }),
    ...(style.textShadow === undefined ? {} : { shadow: resolveShadow(style.textShadow, scope.names) }),
  };
}

/** Returns the bundled family for a name. Unknown names fall back to Inter. */
const getFamily = (name: string, { families }: Names): string => families.get(name) ?? 'Inter';

export function resolveShadow(shadow: Shadow, names: Names): ResolvedShadow {
  return {
    color: resolveColor(shadow.color ?? '#00000066', names),
    blur: shadow.blur ?? 24,
    x: shadow.x ?? 0,
    y: shadow.y ?? 8,
  };
}

/** Line ends that documents, spreadsheets and presentations contain. */
const LINE_ENDS = /\r\n|[\r\v\f\u0085\u2028\u2029]/g;
/** Control characters, for which fonts have no letters. */
const CONTROLS = /[^\P{Cc}\n\t]/gu;

/** Returns the text in the given case, with the same line end everywhere and without control characters. */
export function toDrawnText(text: string, letterCase: TextStyle['case']): string {
  const drawn = text.replace(LINE_ENDS, '\n').replace(CONTROLS, '');
  return letterCase === 'upper' ? drawn.toUpperCase() : letterCase === 'lower' ? drawn.toLowerCase() : drawn;
}

function toSplitState(split: Split, maxParts: number, scope: Scope): SplitState {
  const toScopeSeconds = (time: Split['duration'], fallback: number): number =>
    time === undefined ? fallback : toSeconds(time, scope.span, scope.fps);
  const [duration, stagger] = [toScopeSeconds(split.duration, 0.5), toScopeSeconds(split.stagger, 0.04)];
  return {
    by: split.by,
    preset: split.preset ?? 'rise',
    order: split.order ?? 'forward',
    // Constant after the last part has arrived, so that text at rest keeps its hash.
    elapsed: Math.min(duration + maxParts * stagger, scope.now - toScopeSeconds(split.delay, 0)),
    duration: Math.max(1e-6, duration),
    stagger,
    easing: split.easing ?? (split.preset === 'pop' ? 'back-out' : 'expo-out'),
  };
}
