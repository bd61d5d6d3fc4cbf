// Traces an image of RGBA pixels as an SVG of flat shapes.
import type { LocalTasks } from '../tasks.ts';
import { loadPackage } from './load-package.ts';

interface VectorizerModule {
  vectorizeRawSync(
    pixels: Buffer,
    size: { readonly width: number; readonly height: number },
    config: object,
  ): string;
}

// The values of the enumerations of the package, which it exports only as types.
const COLOR = 0;
const STACKED = 0;
const SPLINE = 2;

export async function vectorizeImage({
  image,
  colorBits,
  minPixels,
}: LocalTasks['vectorize']['input']): Promise<LocalTasks['vectorize']['output']> {
  const { vectorizeRawSync } = await loadPackage<VectorizerModule>('@neplex/vectorizer');
  const { width, height, bytes } = image;
  const pixels = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // Half transparent edges would become shapes of their own.
  for (let at = 3; at < pixels.length; at += 4) pixels[at] = (pixels[at] ?? 0) < 128 ? 0 : 255;
  const svg = vectorizeRawSync(
    pixels,
    { width, height },
    {
      colorMode: COLOR,
      hierarchical: STACKED,
      filterSpeckle: minPixels,
      colorPrecision: colorBits,
      layerDifference: 16,
      mode: SPLINE,
      cornerThreshold: 60,
      lengthThreshold: 4,
      maxIterations: 10,
      spliceThreshold: 45,
      pathPrecision: 2,
    },
  );
  return { svg };
}
