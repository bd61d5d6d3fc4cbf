// Reads the size that an SVG declares: width and height in pixels, else its viewBox.
const ROOT = /<svg\b([^>]*)>/;
const PIXELS = /^\s*(\d{1,6}(?:\.\d{1,6})?)(?:px)?\s*$/;

/** Expects output of `sanitizeSvg`. Ignores sizes in percent or other units. */
export function readSvgSize(svg: Buffer): { readonly width: number; readonly height: number } | undefined {
  // The root comes first; its attributes are bounded by the file.
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
