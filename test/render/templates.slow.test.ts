// Renders templates at full length and minimal size, and draws frames of every template, with the longest, the shortest and
// the default props.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { probeMedia } from '../../src/codecs/probe/probe.ts';
import { readRenderFiles } from '../../src/render/read-files.ts';
import { openTemplateScene } from '../../src/render/scene.ts';
import { TEMPLATES } from '../../src/render/templates/catalog.ts';
import { fillTemplate, listInputMappings } from '../../src/render/templates/template.ts';
import { renderVideo } from '../../src/render/video/render-video.ts';
import { drawTimeline } from '../support/render/drawing.ts';
import { longProps, shortProps } from '../support/render/template-props.ts';
import { isNightly } from '../support/tier.ts';

const { signal } = new AbortController();

const refuse = (): never => {
  throw new Error('A template must not refer to files.');
};

/** Returns the names of the props that a graph uses. Items of a list count as the list. */
function listUsedProps(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(listUsedProps);
  if (typeof value !== 'object' || value === null) return [];
  const usedPaths = Object.entries(value).flatMap(([key, inner]) => {
    if (typeof inner !== 'string') return listUsedProps(inner);
    if (key === '$text') return Array.from(inner.matchAll(/\{([\w.]+)\}/g), ([, path = '']) => path);
    return ['$', '$if', '$each'].includes(key) ? [inner] : [];
  });
  return [...new Set(usedPaths.map(path => path.split('.')[0] ?? ''))];
}
/** The templates that are rendered as videos. */
const RENDERED = TEMPLATES.filter(({ id }) => isNightly || id === 'logo-sting');
/** Every element is visible in some fourth frame. */
const FRAME_STEP = isNightly ? 4 : 20;

/** Names that an $each defines. */
const LOOP_NAMES = ['item', 'index', 'number'];

/** Returns the texts of an example, without image URLs. */
function listTexts(value: unknown): readonly string[] {
  if (typeof value === 'string') return value.startsWith('sample:') ? [] : [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(listTexts) : [];
}

describe('the video templates', { concurrency: 2 }, () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'graphwright-templates-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  for (const template of RENDERED)
    it(`render completely with the longest props (${template.id})`, async () => {
      const props = longProps(template);
      const { durationInFrames, resources, fps } = openTemplateScene(template, props);
      const files = await readRenderFiles(resources.values(), refuse, folder, signal);
      const path = join(folder, `${template.id}.mp4`);
      const graph = fillTemplate(template, props);
      const result = await renderVideo(
        { graph, files, range: [0, durationInFrames], scale: 0.1, path },
        {},
        signal,
      );
      assert.deepEqual(result.warnings, []);
      assert.equal(result.frameCount, durationInFrames);
      const { durationSeconds } = await probeMedia(path, signal);
      assert.ok(Math.abs(durationSeconds - durationInFrames / fps) < 0.05, String(durationSeconds));
    });

  for (const template of TEMPLATES) {
    const kinds = { longest: longProps(template), shortest: shortProps(template), default: {} };
    // Draws without a render process.
    for (const [kind, props] of Object.entries(kinds))
      it(`are drawn completely with the ${kind} props (${template.id})`, async () => {
        const timeline = openTemplateScene(template, props);
        const count = Math.ceil(timeline.durationInFrames / FRAME_STEP);
        const drawing = await drawTimeline(
          timeline,
          Array.from({ length: count }, (_, index) => index * FRAME_STEP),
          0.1,
        );
        assert.deepEqual([drawing.warnings, drawing.frames.length], [[], count]);
      });
  }

  it('describe every prop', () => {
    const isSentence = (text: string | undefined): boolean => /^[A-Z].{9,}\.$/.test(text ?? '');
    for (const { id, defaultProps, inputs, props = {}, graph } of TEMPLATES) {
      const mappedPaths = inputs.map(({ propPath }) => propPath);
      const usedProps = new Set([...listUsedProps(graph), ...Object.keys(defaultProps)]);
      for (const name of usedProps) {
        if (LOOP_NAMES.includes(name) || mappedPaths.includes(name)) continue;
        assert.ok(isSentence(props[name]?.description), `${id}: ${name} has no description`);
        assert.ok(props[name]?.label, `${id}: ${name} has no label`);
        assert.ok(Object.hasOwn(defaultProps, name), `${id}: ${name} has no default`);
      }
      for (const { portId, description } of inputs)
        assert.ok(isSentence(description), `${id}: ${portId} has no description`);
      for (const name of Object.keys(props)) assert.ok(usedProps.has(name), `${id}: ${name} is not used`);
    }
  });

  it('show no example text unless it is given as a prop', () => {
    for (const template of TEMPLATES) {
      const graph = JSON.stringify(fillTemplate(template, {}));
      for (const words of listTexts(template.exampleProps)) assert.ok(!graph.includes(`"${words}"`), words);
    }
  });

  it('have their thumbnail frame within their length', () => {
    for (const template of TEMPLATES)
      assert.ok(
        template.thumbnailFrame < openTemplateScene(template, template.exampleProps ?? {}).durationInFrames,
        template.id,
      );
  });

  it('use the size and the length of the video that they caption', () => {
    const captions = TEMPLATES.find(({ id }) => id === 'captions');
    assert.ok(captions !== undefined);
    const getShape = (props: object) => {
      const { width, height, durationInFrames } = openTemplateScene(captions, { ...props });
      return [width, height, durationInFrames];
    };
    assert.deepEqual(getShape({ width: 640, height: 360, seconds: 2.5 }), [640, 360, 75]);
    assert.deepEqual(getShape({}), [captions.width, captions.height, 300]);
  });

  it('have an input for each item of a list prop', () => {
    const slideshow = TEMPLATES.find(({ id }) => id === 'photo-slideshow');
    assert.ok(slideshow !== undefined);
    const photos = [1, 2, 3].map(number => ({ image: `sample:${number}` }));
    const ports = listInputMappings(slideshow, { photos }).map(
      ({ portId, propPath }) => `${portId} ${propPath}`,
    );
    assert.deepEqual(
      ports.filter(port => port.startsWith('photo')),
      ['photo1 photos.0.image', 'photo2 photos.1.image', 'photo3 photos.2.image'],
    );
  });
});
