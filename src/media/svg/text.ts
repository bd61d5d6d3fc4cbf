// Decodes the text of an SVG, and reads its declared size.

const DECLARATION = /^<\?xml[^>]{0,200}?\sencoding\s*=\s*["']([A-Za-z][\w.:-]{0,40})["']/;

/** Decodes the complete text. Throws if the encoding is unknown or the bytes are invalid. */
export function decodeXml(bytes: Uint8Array): string {
  return new TextDecoder(detectEncoding(bytes), { fatal: true }).decode(bytes);
}

/** Decodes the first bytes of a file, which may end within a character. Throws like `decodeXml`. */
export function decodeXmlStart(bytes: Uint8Array): string {
  return new TextDecoder(detectEncoding(bytes), { fatal: true }).decode(bytes, { stream: true });
}

/**
 * Detects the encoding from the byte order mark, the bytes of the first `<`, or the XML declaration. Otherwise it is
 * UTF-8 (XML 1.0, appendix F).
 */
function detectEncoding(bytes: Uint8Array): string {
  const [a, b] = bytes;
  if ((a === 0xff && b === 0xfe) || (a === 0x3c && b === 0)) return 'utf-16le';
  if ((a === 0xfe && b === 0xff) || (a === 0 && b === 0x3c)) return 'utf-16be';
  if (a === 0xef && b === 0xbb) return 'utf-8';
  return DECLARATION.exec(Buffer.from(bytes.subarray(0, 300)).toString('latin1'))?.[1] ?? 'utf-8';
}

const ROOT = /<svg\b([^>]*)>/;
const PIXELS = /^\s*(\d{1,6}(?:\.\d{1,6})?)(?:px)?\s*$/;

/**
 * Returns the declared size of a sanitized SVG: width and height in pixels, or else the size of its viewBox. Ignores sizes
 * in percent and other units.
 */
export function readSvgSize(svg: Buffer): { readonly width: number; readonly height: number } | undefined {
  // The root comes first. The size of the file limits its attributes.
  const attributes = ROOT.exec(svg.toString('utf8'))?.[1] ?? '';
  const readAttribute = (name: string): string =>
    new RegExp(`(?:^|\\s)${name}="([^"]*)"`).exec(attributes)?.[1] ?? '';
  const box = readAttribute('viewBox')
    .trim()
    .split(/[\s,]+/);
  const [width, height] = [readAttribute('width'), readAttribute('height')].map(
    text => PIXELS.exec(text)?.[1],
  );
  const [boxWidth, boxHeight] = box.length === 4 ? box.slice(2) : [];
  return width !== undefined && height !== undefined ? round(width, height) : round(boxWidth, boxHeight);
}

function round(width: string | undefined, height: string | undefined) {
  const size = { width: Math.round(Number(width)), height: Math.round(Number(height)) };
  return size.width >= 1 && size.height >= 1 ? size : undefined;
}
