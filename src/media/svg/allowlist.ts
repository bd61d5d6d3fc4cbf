// Defines what a sanitized SVG may contain: elements, attributes and their values. Anything else is dropped. No pattern
// below allows &, <, > or a double quote, so an accepted value is printed unchanged.

/** The name to print for each allowed element. `a` and `switch` become groups, so that their content is still drawn. */
export const ELEMENTS: ReadonlyMap<string, string> = new Map([
  ...'svg g defs symbol use path rect circle ellipse line polyline polygon linearGradient radialGradient stop clipPath mask'
    .split(' ')
    .map(name => [name, name] as const),
  ['a', 'g'],
  ['switch', 'g'],
]);

/** Elements of SVG that are dropped and draw nothing. */
export const INVISIBLE_ELEMENTS: ReadonlySet<string> = new Set([
  'desc',
  'metadata',
  'script',
  'title',
  'view',
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
/** An id in a URL, where characters may be percent-encoded. */
const URL_ID = String.raw`[\p{L}\p{N}_.%-]{1,768}`;
const LOCAL_HREF = new RegExp(`^\\s*#(${URL_ID})\\s*$`, 'u');
const LOCAL_URL = new RegExp(`^\\s*url\\(\\s*(["']?)#(${URL_ID})\\1\\s*\\)\\s*(.*)$`, 'iu');
// Most of a drawing is path data, so this pattern has few ranges. Listing the command letters took ten times as long.
const UNSAFE_PATH_DATA = /[^\t-\r +-.0-9A-Za-z]/;
// Matches escapes, colons, quotes, at signs and comments. Without these, a CSS parser finds no URL and no import in a value.
const UNSAFE_VALUE = /[^\w\s.,#%()+/-]|\/[/*]/;
// The lookbehind prevents quadratic time: without it, a long word would be matched again from each of its letters.
const FUNCTION_CALL = /(?<![\w-])([\w-]+)\s*\(/g;
const ALLOWED_FUNCTIONS: ReadonlySet<string> = new Set(
  'matrix translate translatex translatey scale scalex scaley rotate skewx skewy rgb rgba hsl hsla'.split(
    ' ',
  ),
);
const NONE: readonly string[] = [];

const cleanPlain: ValueCleaner = value => {
  if (UNSAFE_VALUE.test(value)) return undefined;
  const isAllowed =
    !value.includes('(') ||
    [...value.matchAll(FUNCTION_CALL)].every(([, name = '']) => ALLOWED_FUNCTIONS.has(name.toLowerCase()));
  return isAllowed ? { text: value, targets: NONE } : undefined;
};
const cleanPathData: ValueCleaner = value =>
  UNSAFE_PATH_DATA.test(value) ? undefined : { text: value, targets: NONE };
const cleanId: ValueCleaner = value => (ID_VALUE.test(value) ? { text: value, targets: NONE } : undefined);
/** Returns the id that a URL names, or undefined if it is not valid. */
function decodeId(encoded: string | undefined): string | undefined {
  if (encoded?.includes('%') !== true)
    return encoded !== undefined && ID_VALUE.test(encoded) ? encoded : undefined;
  try {
    const id = decodeURIComponent(encoded);
    return ID_VALUE.test(id) ? id : undefined;
  } catch {
    return undefined;
  }
}
const cleanHref: ValueCleaner = value => {
  const id = decodeId(LOCAL_HREF.exec(value)?.[1]);
  return id === undefined ? undefined : { text: `#${id}`, targets: [id] };
};
/** Accepts a plain value, or `url(#id)` with a plain fallback. */
const cleanReference: ValueCleaner = value => {
  const [, , encodedId, fallbackText = ''] = LOCAL_URL.exec(value) ?? [];
  const id = decodeId(encodedId);
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

const UNSAFE_STYLE = /[\\@]|\/\*/;

/** Returns the declaration of a style sheet as text, or undefined if it is not allowed. */
export function cleanDeclaration(name: string, value: string): CleanValue | undefined {
  const property = name.toLowerCase();
  if (UNSAFE_STYLE.test(value)) return undefined;
  const clean = PROPERTIES.get(property)?.(value.replace(/!\s*important\s*$/i, '').trim());
  if (clean === undefined || clean.text === '') return undefined;
  return { text: `${property}:${clean.text}`, targets: clean.targets };
}

/** Removes the declarations that are not allowed from a style attribute. */
const cleanStyle: ValueCleaner = value => {
  if (UNSAFE_STYLE.test(value)) return undefined;
  const declarations = value.split(';').flatMap(declaration => {
    const colon = declaration.indexOf(':');
    const property = declaration.slice(0, Math.max(colon, 0)).trim();
    return cleanDeclaration(property, declaration.slice(colon + 1)) ?? [];
  });
  if (declarations.length === 0) return undefined;
  return {
    text: declarations.map(({ text }) => text).join(';'),
    targets: declarations.flatMap(({ targets }) => targets),
  };
};

/** The attributes that any element may have, each with the function that cleans its value. */
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
