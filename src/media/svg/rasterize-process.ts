// Rasterizes one SVG in a separate process: SVG on standard input, PNG on standard output, exit code 1 on failure.
import { buffer } from 'node:stream/consumers';
import sharp from 'sharp';

const MIN_SIDE = 1024;
const MAX_SIDE = 4096;
const DEFAULT_DPI = 72;
const MAX_DPI = 100_000;

sharp.concurrency(1);
const svg = await buffer(process.stdin);
const { width, height } = await sharp(svg, { limitInputPixels: false }).metadata();
const longSide = Math.max(width, height);
const targetSide = Math.min(Math.max(longSide, MIN_SIDE), MAX_SIDE);
// Rendering at the target size is sharper than scaling up.
const density = Math.min(MAX_DPI, Math.max(1, (DEFAULT_DPI * targetSide) / longSide));
const png = await sharp(svg, { density, limitInputPixels: MAX_SIDE * MAX_SIDE })
  .resize({ width: targetSide, height: targetSide, fit: 'inside' })
  .png()
  .toBuffer();
process.stdout.write(png);
