// Compares frames with reviewed images. `node test/render/golden.slow.test.ts --write` replaces the images.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { openScene, openTemplateScene } from '../../src/render/scene.ts';
import { TEMPLATES } from '../../src/render/templates/catalog.ts';
import type { Timeline } from '../../src/render/timeline/compile.ts';
import { drawTimeline } from '../support/render/drawing.ts';
import { GOLDEN_SCENES } from './golden-scenes.ts';

const FOLDER = join(import.meta.dirname, 'golden');
/** Processors round the edges of letters differently, so a small share of values may differ by more than the tolerance. */
const TOLERANCE = 40;
const MAX_DIFFERENT_SHARE = 0.004;

describe('a frame', () => {
  for (const [name, { graph, frame, warnings }] of Object.entries(GOLDEN_SCENES))
    it(`equals the golden image ${name}`, () => compare(name, openScene(graph), frame, 1, warnings));
  for (const template of TEMPLATES)
    it(`equals the golden image of the template ${template.id}`, () => {
      const scale = 320 / Math.max(template.width, template.height);
      const timeline = openTemplateScene(template, template.exampleProps ?? {});
      return compare(`template-${template.id}`, timeline, template.thumbnailFrame, scale);
    });
});

async function compare(
  name: string,
  timeline: Timeline,
  frame: number,
  scale: number,
  expected: readonly string[] = [],
): Promise<void> {
  const { frames, warnings } = await drawTimeline(timeline, [frame], scale);
  const bytes = frames[0]?.bytes ?? new Uint8Array();
  assert.deepEqual(warnings, expected);
  const file = join(FOLDER, `${name}.png`);
  if (process.argv.includes('--write')) {
    mkdirSync(FOLDER, { recursive: true });
    writeFileSync(file, await sharp(bytes).png({ palette: false, compressionLevel: 9 }).toBuffer());
  }
  const [drawn, golden] = await Promise.all([pixels(bytes), pixels(readFileSync(file))]);
  assert.equal(drawn.length, golden.length);
  let differentCount = 0;
  for (const [index, value] of drawn.entries()) {
    if (Math.abs(value - (golden[index] ?? 0)) > TOLERANCE) differentCount++;
  }
  const share = differentCount / drawn.length;
  assert.ok(share < MAX_DIFFERENT_SHARE, `${(share * 100).toFixed(2)} % of the values differ.`);
}

function pixels(bytes: Uint8Array): Promise<Buffer> {
  return sharp(bytes).removeAlpha().raw().toBuffer();
}
