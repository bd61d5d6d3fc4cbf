// Draws contact sheets for review: node bench/contact-sheets.ts [template…]. A contact sheet is a picture in bench/out with
// twelve frames of a template, with its example props or with long props, or of a scene in examples/scenes.
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import sharp from 'sharp';
import { openScene, openTemplateScene } from '../src/render/scene.ts';
import { TEMPLATES } from '../src/render/templates/catalog.ts';
import type { Timeline } from '../src/render/timeline/compile.ts';
import { drawTimeline } from '../test/support/render/drawing.ts';
import { longProps } from '../test/support/render/template-props.ts';

const OUT = join(import.meta.dirname, 'out');
const SCENES = join(import.meta.dirname, '../examples/scenes');
const FRAME_COUNT = 12;
const MAX_FRAME_SIDE = 420;
const GAP = 8;

function* listTimelines(names: readonly string[]): Generator<readonly [name: string, timeline: Timeline]> {
  const isWanted = (name: string): boolean => names.length === 0 || names.includes(name);
  for (const template of TEMPLATES.filter(({ id }) => isWanted(id))) {
    yield [`template-${template.id}`, openTemplateScene(template, template.exampleProps ?? {})];
    yield [`template-${template.id}-long`, openTemplateScene(template, longProps(template))];
  }
  for (const file of readdirSync(SCENES).filter(name => isWanted(basename(name, '.json'))))
    yield [
      `scene-${basename(file, '.json')}`,
      openScene(JSON.parse(readFileSync(join(SCENES, file), 'utf8'))),
    ];
}

async function writeSheet(name: string, timeline: Timeline): Promise<void> {
  const frames = Array.from({ length: FRAME_COUNT }, (_, index) =>
    Math.floor(((index + 0.5) / FRAME_COUNT) * timeline.durationInFrames),
  );
  const scale = Math.min(1, MAX_FRAME_SIDE / Math.max(timeline.width, timeline.height));
  const drawnStills = await drawTimeline(timeline, frames, scale);
  for (const warning of drawnStills.warnings) process.stdout.write(`  ${warning}\n`);
  const { width = 0, height = 0 } = drawnStills.frames[0] ?? {};
  const columns = width > height ? 4 : 6;
  const contactSheet = {
    width: columns * (width + GAP),
    height: Math.ceil(FRAME_COUNT / columns) * (height + GAP),
    channels: 3,
    background: '#808080',
  } as const;
  await sharp({ create: contactSheet })
    .composite(
      drawnStills.frames.map(({ bytes }, index) => ({
        input: Buffer.from(bytes),
        left: (index % columns) * (width + GAP),
        top: Math.floor(index / columns) * (height + GAP),
      })),
    )
    .png()
    .toFile(join(OUT, `${name}.png`));
}

mkdirSync(OUT, { recursive: true });
for (const [name, timeline] of listTimelines(process.argv.slice(2))) {
  process.stdout.write(`${name}\n`);
  await writeSheet(name, timeline);
}
process.exit(0);
