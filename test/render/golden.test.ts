// Frames compared with pictures that somebody looked at. `node test/render/golden.test.ts --write` draws them anew.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { drawGraph } from '../support/drawing.ts';
import { GOLDEN_SCENES } from './golden-scenes.ts';

const FOLDER = join(import.meta.dirname, 'golden');
/** Mean difference of a channel, of 255. Another processor rounds edges of letters otherwise. */
const TOLERANCE = 2.5;

describe('a golden frame', () => {
  for (const [name, { graph, frame }] of Object.entries(GOLDEN_SCENES))
    it(`of ${name} is as it was`, async () => {
      const { frames, warnings } = await drawGraph(graph, [frame]);
      const bytes = frames[0]?.bytes ?? new Uint8Array();
      assert.deepEqual(warnings, []);
      const file = join(FOLDER, `${name}.png`);
      if (process.argv.includes('--write')) {
        mkdirSync(FOLDER, { recursive: true });
        writeFileSync(file, await sharp(bytes).png({ palette: false, compressionLevel: 9 }).toBuffer());
      }
      const [drawn, golden] = await Promise.all([pixels(bytes), pixels(readFileSync(file))]);
      assert.equal(drawn.length, golden.length);
      const sum = drawn.reduce((total, value, index) => total + Math.abs(value - (golden[index] ?? 0)), 0);
      assert.ok(sum / drawn.length < TOLERANCE, `differs by ${(sum / drawn.length).toFixed(2)} on the mean`);
    });
});

function pixels(bytes: Uint8Array): Promise<Buffer> {
  return sharp(bytes).removeAlpha().raw().toBuffer();
}
