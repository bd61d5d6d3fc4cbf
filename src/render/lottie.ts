// Sanitizes an untrusted Lottie animation for the rasterizer. The native player recurses and repeats as the file
// demands, so depth and cost are limited. External URLs are removed, and fonts and images are replaced with our own.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { AppError } from '../lib/errors.ts';
import { getOrCreate } from '../lib/get-or-create.ts';
import { parseJson } from '../lib/record.ts';

export interface CleanLottie {
  readonly json: string;
  /** Features that will not be rendered. */
  readonly unsupported?: string;
}

type Json = null | boolean | number | string | readonly Json[] | { [name: string]: Json };
type Fields = { [name: string]: Json };

const MAX_CHARS = 8_388_608;
const MAX_DEPTH = 96;
const MAX_SIDE = 8192;
const MAX_FRAMES = 1_000_000;
const MAX_FPS = 240;
const MAX_LAYERS = 2000;
/** Maximum nesting of compositions. The player skips compositions that contain themselves. */
const MAX_NESTED = 24;
/**
 * Maximum number of layers, shapes, masks and letters, counted each time they are drawn; expensive features count more.
 */
const MAX_COST = 20_000;
const EFFECT_COST = 200;
const DASH_COST = 50;
const POINTS_PER_COST = 50;
const MAX_IMAGES = 40;
const MAX_FONTS = 50;

/**
 * Sanitizes an animation. `rewrite` re-encodes an image embedded as a data URL. Throws `invalid_request` with the
 * problem.
 */
export async function cleanLottie(
  text: string,
  rewrite: (dataUrl: string) => Promise<string>,
): Promise<CleanLottie> {
  if (text.length > MAX_CHARS) throw createError(`has over ${MAX_CHARS} characters`);
  const root = parse(text);
  checkDepth(root);
  checkHead(root);
  const assets = toFieldsList(root.assets);
  if (measure(root.layers, new Map(assets.map(asset => [asset.id, asset])), new Map()).cost > MAX_COST)
    throw createError(`draws over ${MAX_COST} shapes`);
  const missingImages = await sanitizeImages(assets, rewrite);
  const letters = cleanFonts(root);
  const unsupported = [missingImages, letters].filter(reason => reason !== undefined).join('; ');
  return { json: JSON.stringify(root), ...(unsupported === '' ? {} : { unsupported }) };
}

const createError = (reason: string): AppError => new AppError('invalid_request', `the animation ${reason}`);

function parse(text: string): Fields {
  const root = parseJson(text) as Json | undefined;
  if (isFields(root)) return root;
  throw createError('is no JSON object');
}

const isFields = (value: Json | undefined): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the objects of a list, or an empty list if the value is not an array. */
const toFieldsList = (value: Json | undefined): Fields[] =>
  Array.isArray(value) ? value.filter(isFields) : [];

function checkDepth(root: Fields): void {
  const pending: { value: Json; depth: number }[] = [{ value: root, depth: 0 }];
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    if (at.depth > MAX_DEPTH) throw createError(`is nested over ${MAX_DEPTH} deep`);
    if (typeof at.value !== 'object' || at.value === null) continue;
    for (const value of Object.values(at.value)) pending.push({ value, depth: at.depth + 1 });
  }
}

function checkHead({ w, h, fr, ip, op, layers }: Fields): void {
  const isWithin = (value: Json | undefined, min: number, max: number): boolean =>
    typeof value === 'number' && value >= min && value <= max;
  if (!isWithin(w, 1, MAX_SIDE) || !isWithin(h, 1, MAX_SIDE))
    throw createError(`must be 1 to ${MAX_SIDE} pixels wide and high`);
  if (!isWithin(fr, 0.01, MAX_FPS)) throw createError(`must have up to ${MAX_FPS} frames a second`);
  if (typeof ip !== 'number' || !isWithin(op, ip, ip + MAX_FRAMES))
    throw createError(`must have up to ${MAX_FRAMES} frames`);
  if (!Array.isArray(layers)) throw createError('has no layers');
}

interface Extent {
  readonly cost: number;
  /** Nesting depth of compositions. */
  readonly height: number;
}

/** Measures the layers, including all compositions that they show. `extents` caches measured compositions. */
function measure(
  layers: Json | undefined,
  assets: ReadonlyMap<Json | undefined, Fields>,
  extents: Map<Fields, Extent>,
  depth = 0,
): Extent {
  const layerList = toFieldsList(layers);
  if (layerList.length > MAX_LAYERS) throw createError(`has over ${MAX_LAYERS} layers in one composition`);
  let [cost, height] = [0, 0];
  for (const layer of layerList) {
    cost += computeLayerCost(layer);
    const asset = layer.refId === undefined ? undefined : assets.get(layer.refId);
    if (asset === undefined) continue;
    if (!extents.has(asset)) {
      if (depth >= MAX_NESTED) throw createError(`has over ${MAX_NESTED} compositions within one another`);
      // Counts as zero while it is being measured, in case it contains itself.
      extents.set(asset, { cost: 0, height: 0 });
      extents.set(asset, measure(asset.layers, assets, extents, depth + 1));
    }
    const inner = extents.get(asset) as Extent;
    cost += inner.cost;
    height = Math.max(height, 1 + inner.height);
  }
  if (height > MAX_NESTED) throw createError(`has over ${MAX_NESTED} compositions within one another`);
  return { cost, height };
}

function computeLayerCost({ masksProperties, ef, shapes, t }: Fields): number {
  const letters = isFields(t) && isFields(t.d) ? toFieldsList(t.d.k).map(countLetters) : [];
  return (
    1 +
    toFieldsList(masksProperties).length +
    toFieldsList(ef).length * EFFECT_COST +
    Math.max(0, ...letters.slice(0, MAX_COST)) +
    computeShapeCost(shapes)
  );
}

const countLetters = ({ s }: Fields): number => (isFields(s) && typeof s.t === 'string' ? s.t.length : 0);

/** Walks shapes in document order: a repeater repeats everything before it. */
function computeShapeCost(shapes: Json | undefined): number {
  return toFieldsList(shapes).reduce((sum, { ty, it, c, pt, d }) => {
    if (ty === 'rp') return (sum + 1) * Math.max(1, findLargestNumber(c));
    const points = ty === 'sr' ? findLargestNumber(pt) / POINTS_PER_COST : 0;
    const dashes = ty === 'st' || ty === 'gs' ? toFieldsList(d).length * DASH_COST : 0;
    return sum + 1 + points + dashes + computeShapeCost(it);
  }, 0);
}

/** Returns the largest number anywhere in the value. An animated value counts at its maximum. */
function findLargestNumber(value: Json | undefined): number {
  if (typeof value === 'number') return value;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce(
    (max: number, inner: Json) => Math.max(max, findLargestNumber(inner)),
    0,
  );
}

/** Re-encodes embedded images and removes the names and URLs of external ones. */
async function sanitizeImages(
  assets: readonly Fields[],
  rewrite: (dataUrl: string) => Promise<string>,
): Promise<string | undefined> {
  let [count, outside] = [0, 0];
  for (const asset of assets) {
    const { p } = asset;
    if (p === undefined) continue;
    asset.u = '';
    if (typeof p === 'string' && p.startsWith('data:image/')) {
      if (++count > MAX_IMAGES) throw createError(`has over ${MAX_IMAGES} pictures`);
      asset.p = await rewrite(p);
    } else {
      asset.p = '';
      outside++;
    }
  }
  return outside === 0
    ? undefined
    : 'names files, of which none is fetched: only embedded pictures are shown';
}

const WEIGHTS = [
  { weight: 800, names: /bold|black|heavy|[789]00/i },
  { weight: 600, names: /medium|semi|demi|[56]00/i },
  { weight: 400, names: /(?:)/ },
] as const;
const bundledFont = new Map<number, string>();

/** Returns the Inter font as a data URL. The file is read once. */
function readFontUrl(weight: number): string {
  return getOrCreate(bundledFont, weight, () => {
    const file = import.meta.resolve(`@fontsource/inter/files/inter-latin-${weight}-normal.woff2`);
    return `data:font/woff2;base64,${readFileSync(fileURLToPath(file)).toString('base64')}`;
  });
}

/** Embeds the font, because the player would otherwise use fonts installed on the machine. */
function cleanFonts(root: Fields): string | undefined {
  const fonts = isFields(root.fonts) ? toFieldsList(root.fonts.list) : [];
  if (fonts.length > MAX_FONTS) throw createError(`has over ${MAX_FONTS} fonts`);
  for (const font of fonts) {
    const style = `${font.fStyle ?? ''} ${font.fWeight ?? ''} ${font.fName ?? ''}`.slice(0, 200);
    const { weight } = WEIGHTS.find(({ names }) => names.test(style)) ?? WEIGHTS[2];
    Object.assign(font, { fPath: readFontUrl(weight), origin: 3, fFamily: 'Inter' });
  }
  return fonts.length > 0 && hasUnsupportedLetters(root)
    ? 'has letters beyond Latin ones, for which it cannot be given a font: turn them into outlines'
    : undefined;
}

const UNSUPPORTED_LETTER = /[^\p{Cc} -\u00ff\u0131\u0152\u0153\u2000-\u206f\u20ac\u2122]/u;

function hasUnsupportedLetters(root: Fields): boolean {
  const compositions = [root, ...toFieldsList(root.assets)].flatMap(({ layers }) => toFieldsList(layers));
  return compositions.some(({ ty, t }) => {
    if (ty !== 5 || !isFields(t) || !isFields(t.d)) return false;
    return toFieldsList(t.d.k).some(
      ({ s }) => isFields(s) && typeof s.t === 'string' && UNSUPPORTED_LETTER.test(s.t),
    );
  });
}
