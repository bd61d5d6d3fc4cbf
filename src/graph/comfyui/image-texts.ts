// Finds the graphs that ComfyUI writes into the metadata of PNG and WebP images.

/** The bytes of a text. `isCompressed`: with zlib. */
interface ImageText {
  readonly keyword: string;
  readonly bytes: Uint8Array;
  readonly encoding: 'latin1' | 'utf-8';
  readonly isCompressed: boolean;
}

/** Returns at most `maxBytes` of decompressed data, or undefined if the data are malformed or longer. */
export type Inflate = (bytes: Uint8Array, maxBytes: number) => Promise<Uint8Array | undefined>;

const KEYWORDS = ['workflow', 'prompt'] as const;
const MAX_TEXT_BYTES = 10_485_760;
/** An image has few of them before and after its data. */
const MAX_CHUNKS = 100_000;
const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

/**
 * Returns the graph in the image as JSON text: the one in UI format, or else the one in API format. Returns undefined if
 * there is none. `inflate` reads compressed texts, which are skipped without it.
 */
export async function findGraphText(image: Uint8Array, inflate?: Inflate): Promise<string | undefined> {
  // Only the first text of a keyword counts: a file may have a thousand that are expensive to decompress.
  const texts = new Map<string, ImageText>();
  for (const text of readImageTexts(image)) if (!texts.has(text.keyword)) texts.set(text.keyword, text);
  for (const keyword of KEYWORDS) {
    const text = texts.get(keyword);
    const decoded = text === undefined ? undefined : await decodeText(text, inflate);
    if (decoded !== undefined) return decoded;
  }
  return undefined;
}

async function decodeText(
  { bytes, encoding, isCompressed }: ImageText,
  inflate?: Inflate,
): Promise<string | undefined> {
  const plain = isCompressed ? await inflate?.(bytes, MAX_TEXT_BYTES) : bytes;
  if (plain === undefined || plain.length > MAX_TEXT_BYTES) return undefined;
  return new TextDecoder(encoding).decode(plain);
}

function* readImageTexts(image: Uint8Array): Generator<ImageText> {
  if (PNG.every((byte, index) => image[index] === byte)) yield* readPngTexts(image);
  else if (readAscii(image, 0, 4) === 'RIFF' && readAscii(image, 8, 12) === 'WEBP')
    yield* readWebpTexts(image);
}

function* readPngTexts(png: Uint8Array): Generator<ImageText> {
  const view = toView(png);
  let offset = PNG.length;
  for (let count = 0; count < MAX_CHUNKS && offset + 12 <= png.length; count++) {
    const length = view.getUint32(offset);
    const start = offset + 8;
    offset = start + length + 4;
    if (offset > png.length) return;
    const data = png.subarray(start, start + length);
    const type = readAscii(png, start - 4, start);
    const text =
      type === 'tEXt'
        ? readPlain(data)
        : type === 'zTXt'
          ? readCompressed(data)
          : type === 'iTXt'
            ? readInternational(data)
            : undefined;
    if (text !== undefined) yield text;
  }
}

/** tEXt: keyword, 0, text in Latin-1. */
function readPlain(data: Uint8Array): ImageText | undefined {
  const end = data.indexOf(0);
  if (end < 0) return undefined;
  const keyword = readAscii(data, 0, end);
  return { keyword, bytes: data.subarray(end + 1), encoding: 'latin1', isCompressed: false };
}

/** zTXt: keyword, 0, method 0, compressed text in Latin-1. */
function readCompressed(data: Uint8Array): ImageText | undefined {
  const end = data.indexOf(0);
  if (end < 0 || data[end + 1] !== 0) return undefined;
  const keyword = readAscii(data, 0, end);
  return { keyword, bytes: data.subarray(end + 2), encoding: 'latin1', isCompressed: true };
}

/** iTXt: keyword, 0, whether it is compressed, method 0, language, 0, translated keyword, 0, text in UTF-8. */
function readInternational(data: Uint8Array): ImageText | undefined {
  const end = data.indexOf(0);
  const language = end < 0 ? -1 : data.indexOf(0, end + 3);
  const translation = language < 0 ? -1 : data.indexOf(0, language + 1);
  if (translation < 0) return undefined;
  const keyword = readAscii(data, 0, end);
  const isCompressed = data[end + 1] === 1;
  return { keyword, bytes: data.subarray(translation + 1), encoding: 'utf-8', isCompressed };
}

function* readWebpTexts(webp: Uint8Array): Generator<ImageText> {
  const view = toView(webp);
  let offset = 12;
  for (let count = 0; count < MAX_CHUNKS && offset + 8 <= webp.length; count++) {
    const length = view.getUint32(offset + 4, true);
    const start = offset + 8;
    if (start + length > webp.length) return;
    if (readAscii(webp, offset, offset + 4) === 'EXIF')
      yield* readExifTexts(webp.subarray(start, start + length));
    offset = start + length + (length % 2);
  }
}

/** The EXIF type of texts. */
const ASCII = 2;

/** Reads the texts of the first directory, which ComfyUI writes as `keyword:JSON` under any tag. */
function* readExifTexts(data: Uint8Array): Generator<ImageText> {
  const exif = readAscii(data, 0, 4) === 'Exif' ? data.subarray(6) : data;
  const order = readAscii(exif, 0, 2);
  if ((order !== 'II' && order !== 'MM') || exif.length < 8) return;
  const isLittle = order === 'II';
  const view = toView(exif);
  const directory = view.getUint32(4, isLittle);
  if (directory + 2 > exif.length) return;
  const count = view.getUint16(directory, isLittle);
  for (let index = 0; index < count; index++) {
    const entry = directory + 2 + index * 12;
    if (entry + 12 > exif.length) return;
    const length = view.getUint32(entry + 4, isLittle);
    if (view.getUint16(entry + 2, isLittle) !== ASCII || length <= 4) continue;
    const start = view.getUint32(entry + 8, isLittle);
    if (start + length > exif.length) continue;
    const text = exif.subarray(start, start + length);
    const colon = text.indexOf(0x3a);
    if (colon < 1 || colon > 100) continue;
    // The text ends with a zero.
    const end = text.at(-1) === 0 ? text.length - 1 : text.length;
    yield {
      keyword: readAscii(text, 0, colon),
      bytes: text.subarray(colon + 1, end),
      encoding: 'utf-8',
      isCompressed: false,
    };
  }
}

const toView = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Keywords have at most 79 characters. */
const readAscii = (bytes: Uint8Array, start: number, end: number): string =>
  String.fromCharCode(...bytes.subarray(start, Math.min(end, start + 100)));
