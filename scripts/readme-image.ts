// Creates docs/images/postcard.webp for the README from the output of `npm run demo`.
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import sharp from 'sharp';

const WIDTH = 640;
const root = dirname(import.meta.dirname);
const target = join(root, 'docs', 'images', 'postcard.webp');

await mkdir(dirname(target), { recursive: true });
const { size } = await sharp(join(root, 'demo-output', 'postcard.png'))
  .resize(WIDTH)
  .webp({ quality: 80 })
  .toFile(target);
process.stdout.write(`${target}: ${size} bytes\n`);
