// The process that rasterizes one SVG: SVG on standard input, PNG on standard output, exit code 1 on failure.
import { buffer } from 'node:stream/consumers';
import sharp from 'sharp';

const MIN_SIDE = 1024;
const MAX_SIDE = 4096;
const DEFAULT_DPI = 72;
const MAX_DPI = 100_000;

sharp.concurrency(1);
const svg = await buffer(process.stdin);
const { width, height } = await sharp(svg, { limitInputPixels: false }).metadata();
const longer = Math.max(width, height);
const wanted = Math.min(Math.max(longer, MIN_SIDE), MAX_SIDE);
// Rendered at the target size instead of scaled up.
const density = Math.min(MAX_DPI, Math.max(1, (DEFAULT_DPI * wanted) / longer));
const png = await sharp(svg, { density, limitInputPixels: MAX_SIDE * MAX_SIDE })
  .resize({ width: wanted, height: wanted, fit: 'inside' })
  .timeout({ seconds: 20 })
  .png()
  .toBuffer();
process.stdout.write(png);
