// Defines what a sanitized SVG may contain: elements, attributes and their values. Anything else is dropped. No pattern
// below allows &, <, > or a double quote, so an accepted value is printed unchanged.

/** Allowed elements, with the name to print. `a` and `switch` become groups, so that their content is still drawn. */
export const ELEMENTS: ReadonlyMap<string, string> = new Map([
  ...'svg g defs symbol use path rect circle ellipse line polyline polygon linearGradient radialGradient stop clipPath mask'
    .split(' ')
    .map(name => [name, name] as const),
  ['a', 'g'],
  ['switch', 'g'],
]);

/** An accepted attribute value: the text to print, and the ids that it refers to. */
export interface CleanValue {
  readonly text: string;
  /** Ids of elements that are drawn as part of this element. */
  readonly targets: readonly string[];
}

type ValueCleaner = (value: string) => CleanValue | undefined;

const ID = String.raw`[\p{L}\p{N}_.-]{1,256}`;
const ID_VALUE = new RegExp(`^${ID}$`, 'u');
const LOCAL_HREF = new RegExp(`^\\s*#(${ID})\\s*$`, 'u');
const LOCAL_URL = new RegExp(`^\\s*url\\(\\s*(["']?)#(${ID})\\1\\s*\\)\\s*(.*)$`, 'iu');
// Has few ranges, because paths are most of a drawing. A list of the command letters took ten times as long.
const UNSAFE_PATH_DATA = /[^\t-\r +-.0-9A-Za-z]/;
// Rejects escapes, colons, quotes, at signs and comments, without which no CSS parser finds a URL or an import.
const UNSAFE_VALUE = /[^\w\s.,#%()+/-]|\/[/*]/;
// The lookbehind keeps a long word from being tried at each of its letters.
const FUNCTION = /(?<![\w-])([\w-]+)\s*\(/g;
const FUNCTIONS: ReadonlySet<string> = new Set(
  'matrix translate translatex translatey scale scalex scaley rotate skewx skewy rgb rgba hsl hsla'.split(
    ' ',
  ),
);
const NONE: readonly string[] = [];

const cleanPlain: ValueCleaner = value => {
  if (UNSAFE_VALUE.test(value)) return undefined;
  const isKnown =
    !value.includes('(') ||
    [...value.matchAll(FUNCTION)].every(([, name = '']) => FUNCTIONS.has(name.toLowerCase()));
  return isKnown ? { text: value, targets: NONE } : undefined;
};
const cleanPathData: ValueCleaner = value =>
  UNSAFE_PATH_DATA.test(value) ? undefined : { text: value, targets: NONE };
const cleanId: ValueCleaner = value => (ID_VALUE.test(value) ? { text: value, targets: NONE } : undefined);
const cleanHref: ValueCleaner = value => {
  const id = LOCAL_HREF.exec(value)?.[1];
  return id === undefined ? undefined : { text: `#${id}`, targets: [id] };
};
/** Accepts a plain value, or `url(#id)` with a plain fallback. */
const cleanReference: ValueCleaner = value => {
  const [, , id, fallbackText = ''] = LOCAL_URL.exec(value) ?? [];
  if (id === undefined) return cleanPlain(value);
  const fallback = cleanPlain(fallbackText);
  return fallback === undefined
    ? undefined
    : { text: `url(#${id}) ${fallback.text}`.trimEnd(), targets: [id] };
};

const PROPERTIES: ReadonlyMap<string, ValueCleaner> = new Map([
  ...(
    'clip-rule color color-interpolation color-rendering display fill-opacity fill-rule isolation mask-type mix-blend-mode opacity ' +
    'overflow paint-order shape-rendering stop-color stop-opacity stroke-dasharray stroke-dashoffset stroke-linecap stroke-linejoin ' +
    'stroke-miterlimit stroke-opacity stroke-width transform transform-box transform-origin vector-effect visibility'
  )
    .split(' ')
    .map(name => [name, cleanPlain] as const),
  ...'clip-path fill mask stroke'.split(' ').map(name => [name, cleanReference] as const),
]);

/** Returns the allowed declarations of a style attribute. */
const cleanStyle: ValueCleaner = value => {
  if (/[\\@]|\/\*/.test(value)) return undefined;
  const targets: string[] = [];
  const declarations = value.split(';').flatMap(declaration => {
    const colon = declaration.indexOf(':');
    const property = declaration.slice(0, Math.max(colon, 0)).trim().toLowerCase();
    const clean = PROPERTIES.get(property)?.(
      declaration
        .slice(colon + 1)
        .replace(/!\s*important\s*$/i, '')
        .trim(),
    );
    if (clean === undefined || clean.text === '') return [];
    targets.push(...clean.targets);
    return [`${property}:${clean.text}`];
  });
  return declarations.length === 0 ? undefined : { text: declarations.join(';'), targets };
};

/** Allowed attributes of any element, with a check for each value. */
export const ATTRIBUTES: ReadonlyMap<string, ValueCleaner> = new Map([
  ...(
    'clipPathUnits cx cy fr fx fy gradientTransform gradientUnits height maskContentUnits maskUnits offset pathLength points ' +
    'preserveAspectRatio r refX refY rx ry spreadMethod viewBox width x x1 x2 y y1 y2'
  )
    .split(' ')
    .map(name => [name, cleanPlain] as const),
  ...PROPERTIES,
  ['d', cleanPathData],
  ['href', cleanHref],
  ['id', cleanId],
  ['style', cleanStyle],
]);
