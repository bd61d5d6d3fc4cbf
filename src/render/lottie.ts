// Sanitizes an untrusted Lottie animation for the rasterizer. The native player recurses and repeats as the file
// demands, so depth and cost are limited. External URLs are removed, and fonts and images are replaced with our own.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { AppError } from '../lib/errors.ts';
import { getOrCreate } from '../lib/get-or-create.ts';
import { isRecord, parseJson } from '../lib/record.ts';

export interface SanitizedLottie {
  readonly json: string;
  /** Features that will not be rendered. */
  readonly unsupported?: string;
}

type Json = null | boolean | number | string | readonly Json[] | { [name: string]: Json };
type JsonObject = { [name: string]: Json };

const MAX_CHARS = 8_388_608;
const MAX_DEPTH = 96;
const MAX_SIDE = 8192;
const MAX_FRAMES = 1_000_000;
const MAX_FPS = 240;
const MAX_LAYERS = 2000;
/** Maximum nesting of compositions. The player skips compositions that contain themselves. */
const MAX_NESTED = 24;
/**
 * Maximum number of layers, shapes, masks and letters. Each counts as often as it is drawn. Expensive features count more.
 */
const MAX_COST = 20_000;
const EFFECT_COST = 200;
const DASH_COST = 50;
const POINTS_PER_COST = 50;
const MAX_IMAGES = 40;
const MAX_FONTS = 50;

/** Sanitizes an animation. `rewrite` re-encodes an image that is embedded as a data URL. Throws `invalid_request`. */
export async function sanitizeLottie(
  text: string,
  rewrite: (dataUrl: string) => Promise<string>,
): Promise<SanitizedLottie> {
  if (text.length > MAX_CHARS) throw createError(`has over ${MAX_CHARS} characters`);
  const root = parse(text);
  requireWithinDepth(root);
  requireValidProperties(root);
  const assets = toObjectList(root.assets);
  if (measureLayers(root.layers, new Map(assets.map(asset => [asset.id, asset])), new Map()).cost > MAX_COST)
    throw createError(`draws over ${MAX_COST} shapes`);
  const missingImages = await sanitizeImages(assets, rewrite);
  const unsupportedText = embedFonts(root);
  const unsupported = [missingImages, unsupportedText].filter(reason => reason !== undefined).join('; ');
  return { json: JSON.stringify(root), ...(unsupported === '' ? {} : { unsupported }) };
}

const createError = (reason: string): AppError => new AppError('invalid_request', `the animation ${reason}`);

function parse(text: string): JsonObject {
  const root = parseJson(text) as Json | undefined;
  if (isRecord(root)) return root;
  throw createError('is not a JSON object');
}

/** Returns the objects of a list, or an empty list if the value is not an array. */
const toObjectList = (value: Json | undefined): JsonObject[] =>
  Array.isArray(value) ? (value.filter(isRecord) as JsonObject[]) : [];

function requireWithinDepth(root: JsonObject): void {
  const pending: { value: Json; depth: number }[] = [{ value: root, depth: 0 }];
  for (let entry = pending.pop(); entry !== undefined; entry = pending.pop()) {
    if (entry.depth > MAX_DEPTH) throw createError(`is nested over ${MAX_DEPTH} levels deep`);
    if (typeof entry.value !== 'object' || entry.value === null) continue;
    for (const value of Object.values(entry.value)) pending.push({ value, depth: entry.depth + 1 });
  }
}

function requireValidProperties({ w, h, fr, ip, op, layers }: JsonObject): void {
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

/** Measures the layers and all compositions that they show. `extents` caches the measured compositions. */
function measureLayers(
  layers: Json | undefined,
  assets: ReadonlyMap<Json | undefined, JsonObject>,
  extents: Map<JsonObject, Extent>,
  depth = 0,
): Extent {
  const layerList = toObjectList(layers);
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
      extents.set(asset, measureLayers(asset.layers, assets, extents, depth + 1));
    }
    const extent = extents.get(asset) as Extent;
    cost += extent.cost;
    height = Math.max(height, 1 + extent.height);
  }
  if (height > MAX_NESTED) throw createError(`has over ${MAX_NESTED} compositions within one another`);
  return { cost, height };
}

function computeLayerCost({ masksProperties, ef, shapes, t }: JsonObject): number {
  const letters = isRecord(t) && isRecord(t.d) ? toObjectList(t.d.k).map(countLetters) : [];
  return (
    1 +
    toObjectList(masksProperties).length +
    toObjectList(ef).length * EFFECT_COST +
    Math.max(0, ...letters.slice(0, MAX_COST)) +
    computeShapeCost(shapes)
  );
}

const countLetters = ({ s }: JsonObject): number => (isRecord(s) && typeof s.t === 'string' ? s.t.length : 0);

/** Walks shapes in document order: a repeater repeats everything before it. */
function computeShapeCost(shapes: Json | undefined): number {
  return toObjectList(shapes).reduce((sum, { ty, it, c, pt, d }) => {
    if (ty === 'rp') return (sum + 1) * Math.max(1, findLargestNumber(c));
    const points = ty === 'sr' ? findLargestNumber(pt) / POINTS_PER_COST : 0;
    const dashes = ty === 'st' || ty === 'gs' ? toObjectList(d).length * DASH_COST : 0;
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
  assets: readonly JsonObject[],
  rewrite: (dataUrl: string) => Promise<string>,
): Promise<string | undefined> {
  let [count, externalCount] = [0, 0];
  for (const asset of assets) {
    const { p } = asset;
    if (p === undefined) continue;
    asset.u = '';
    if (typeof p === 'string' && p.startsWith('data:image/')) {
      if (++count > MAX_IMAGES) throw createError(`has over ${MAX_IMAGES} images`);
      asset.p = await rewrite(p);
    } else {
      asset.p = '';
      externalCount++;
    }
  }
  return externalCount === 0
    ? undefined
    : 'refers to external files, which are not loaded: embed the images in the animation';
}

const WEIGHTS = [
  { weight: 800, pattern: /bold|black|heavy|[789]00/i },
  { weight: 600, pattern: /medium|semi|demi|[56]00/i },
  { weight: 400, pattern: /(?:)/ },
] as const;
const fontUrls = new Map<number, string>();

/** Returns the Inter font as a data URL. The file is read once. */
function readFontUrl(weight: number): string {
  return getOrCreate(fontUrls, weight, () => {
    const file = import.meta.resolve(`@fontsource/inter/files/inter-latin-${weight}-normal.woff2`);
    return `data:font/woff2;base64,${readFileSync(fileURLToPath(file)).toString('base64')}`;
  });
}

/**
 * Replaces each font that the animation names by an embedded one, because the player would otherwise use fonts installed
 * on the machine. If some text cannot be drawn with the embedded fonts, returns the reason.
 */
function embedFonts(root: JsonObject): string | undefined {
  const fonts = isRecord(root.fonts) ? toObjectList(root.fonts.list) : [];
  if (fonts.length > MAX_FONTS) throw createError(`has over ${MAX_FONTS} fonts`);
  for (const font of fonts) {
    const style = `${font.fStyle ?? ''} ${font.fWeight ?? ''} ${font.fName ?? ''}`.slice(0, 200);
    const { weight } = WEIGHTS.find(({ pattern }) => pattern.test(style)) ?? WEIGHTS[2];
    Object.assign(font, { fPath: readFontUrl(weight), origin: 3, fFamily: 'Inter' });
  }
  return fonts.length > 0 && hasUnsupportedLetters(root)
    ? 'has text in a script other than Latin, for which no font can be embedded: convert it to outlines'
    : undefined;
}

const UNSUPPORTED_LETTER = /[^\p{Cc} -\u00ff\u0131\u0152\u0153\u2000-\u206f\u20ac\u2122]/u;

function hasUnsupportedLetters(root: JsonObject): boolean {
  const compositions = [root, ...toObjectList(root.assets)].flatMap(({ layers }) => toObjectList(layers));
  return compositions.some(({ ty, t }) => {
    if (ty !== 5 || !isRecord(t) || !isRecord(t.d)) return false;
    return toObjectList(t.d.k).some(
      ({ s }) => isRecord(s) && typeof s.t === 'string' && UNSUPPORTED_LETTER.test(s.t),
    );
  });
}
