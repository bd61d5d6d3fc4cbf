// Tests the Video Editor node: its modes, the ports of each, and their results.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { getBackend } from '../../src/codecs/backend.ts';
import { probeMedia } from '../../src/codecs/probe/probe.ts';
import type { InputDef } from '../../src/graph/catalog.ts';
import { lintGraph } from '../../src/graph/lint/lint.ts';
import { withSavedPorts } from '../../src/graph/saved-ports.ts';
import type { GraphNode, JsonObject, MediaRef } from '../../src/graph/types.ts';
import { readSettings } from '../../src/lib/settings.ts';
import { createNodeCatalog, findNode } from '../../src/nodes/catalog.ts';
import { createSceneGraph, readRenderMode } from '../../src/nodes/renderer-mode.ts';
import { TEMPLATES } from '../../src/render/templates/catalog.ts';
import { NODE_SETTINGS } from '../support/engine/engine.ts';
import { makeContext, runNode } from '../support/engine/node-context.ts';
import { plainImage, readPixels } from '../support/media/pixels.ts';

const definition = findNode('video:renderer');
const catalog = createNodeCatalog({ SANDBOX_MODELS: true });
const createScene = (more: JsonObject = {}): JsonObject => ({
  fps: 10,
  width: 160,
  height: 90,
  scenes: [{ duration: 1, background: '#336699' }],
  ...more,
});

const listInputs = (config: JsonObject): readonly InputDef[] =>
  (definition?.ports(config).inputs ?? []).filter(({ isPort }) => isPort);
const fillScene = (config: JsonObject, values: Readonly<Record<string, unknown>>): unknown => {
  const mode = readRenderMode(config);
  assert.ok(mode.kind !== 'none');
  return createSceneGraph(mode, values);
};
const createEditorNode = (config: JsonObject): GraphNode => ({
  id: 'v',
  type: 'basedNode',
  position: { x: 0, y: 0 },
  data: { label: 'Video', category: 'utility', nodeType: 'video:renderer', config },
});
const lint = (config: JsonObject) =>
  lintGraph({ nodes: [createEditorNode(config)], edges: [] }, catalog).issues;

describe('video:renderer with a template', () => {
  it('is cached unless it shows files that are not in the media storage of the settings', () => {
    const isCached = (src: string): boolean | undefined => {
      const props = { sceneGraph: createScene({ overlays: [{ type: 'image', src }] }) };
      return definition?.cache({ props }, NODE_SETTINGS);
    };
    assert.equal(isCached(`${NODE_SETTINGS.CDN_URL}/med_1/a.png`), true);
    assert.equal(isCached('https://example.com/a.png'), false);
  });

  it('has a port for each input of the template', () => {
    const [hook, image] = listInputs({ templateId: 'product-reel' });
    assert.deepEqual([hook?.id, hook?.type, hook?.required], ['hook', 'TEXT', false]);
    assert.deepEqual([image?.label, image?.type, image?.required], ['Product picture', 'IMAGE', true]);
    assert.ok(listInputs({ templateId: 'product-reel' }).every(({ wiredOnly }) => wiredOnly === true));
  });

  it('has a port for each item of a list prop, within a limit', () => {
    const photos = (count: number) =>
      Array.from({ length: count }, () => ({ image: 'sample:x', caption: '' }));
    const ids = listInputs({ templateId: 'photo-slideshow', props: { photos: photos(2) } }).map(
      ({ id }) => id,
    );
    assert.deepEqual(ids, ['title', 'photo1', 'photo2', 'caption1', 'caption2', 'music']);
    assert.equal(listInputs({ templateId: 'photo-slideshow', props: { photos: photos(5000) } }).length, 122);
  });

  it('sets values at their paths without changing the props', () => {
    const props = { photos: [{ image: 'sample:a', caption: 'A' }, { image: 'sample:b' }], title: 'T' };
    const before = structuredClone(props);
    const values = { photo2: { url: 'https://x.test/b.png', mediaId: 'med_b', sha256: '' }, caption2: 'B' };
    const graph = JSON.stringify(fillScene({ templateId: 'photo-slideshow', props }, values));
    assert.ok(graph.includes('https://x.test/b.png') && graph.includes('"B"') && graph.includes('"A"'));
    assert.ok(!graph.includes('sample:b'));
    assert.deepEqual(props, before);
  });

  it('has no port with the id of a field of the node', () => {
    for (const { inputs } of TEMPLATES)
      for (const { portId } of inputs) assert.doesNotMatch(portId, /^(templateId|props|fanOut|maxCredits)$/);
  });
});

describe('video:renderer with a scene graph', () => {
  it('has a port for each token, typed by the position of the token', () => {
    const sceneGraph = createScene({
      background: { type: 'image', src: '{{backdrop}}' },
      overlays: [
        { type: 'text', text: 'By {{author}}' },
        { type: 'counter', to: '{{count}}', prefix: '{{sign}}' },
        { type: 'video', src: '{{clip}}' },
      ],
      audioTrack: { items: [{ src: '{{voice}}' }] },
    });
    const ports = listInputs({ props: { sceneGraph } });
    assert.deepEqual(
      ports.map(({ id, type }) => `${id} ${type}`),
      ['backdrop IMAGE', 'author TEXT', 'count JSON', 'sign TEXT', 'clip VIDEO', 'voice AUDIO'],
    );
    assert.ok(ports.every(({ required, wiredOnly }) => required === true && wiredOnly === true));
  });

  it('inserts the value itself for a token that stands alone', () => {
    const sceneGraph = createScene({
      overlays: [{ type: 'text', text: 'By {{a}}, {{a}}', opacity: '{{n}}', x: '{{b}}' }],
    });
    const { overlays } = fillScene({ props: { sceneGraph } }, { a: 'Ann', n: 0.5, b: '10%' }) as JsonObject;
    assert.deepEqual(overlays, [{ type: 'text', text: 'By Ann, Ann', opacity: 0.5, x: '10%' }]);
  });

  it('refuses texts that grow without limit', () => {
    const text = '{{a}}'.repeat(700);
    const sceneGraph = createScene({ overlays: [{ type: 'text', text }] });
    const insertLongTexts = () => fillScene({ props: { sceneGraph } }, { a: 'x'.repeat(100_000) });
    assert.throws(insertLongTexts, { code: 'text_too_long' });
  });
});

describe('video:renderer in a saved graph', () => {
  it('is saved with its ports', () => {
    const text = { ...createEditorNode({ template: '{{x}}' }), id: 't' };
    const otherNode = { ...text, data: { ...text.data, nodeType: 'utility:text_template' } };
    const graph = { nodes: [createEditorNode({ templateId: 'quote-card' }), otherNode], edges: [] };
    const [saved, untouched] = withSavedPorts(graph, catalog).nodes;
    assert.deepEqual(saved?.data.inputs?.[0], { id: 'quote', label: 'Quotation', type: 'TEXT' });
    assert.deepEqual(saved?.data.outputs, [{ id: 'video', label: 'Video', type: 'VIDEO' }]);
    assert.equal(untouched, otherNode);
  });

  it('has a lint warning for both modes, no mode or a missing template', () => {
    const sceneGraph = createScene();
    for (const config of [{}, { templateId: 'quote-card', props: { sceneGraph } }, { templateId: 'nobody' }])
      assert.ok(
        lint(config).some(({ code, severity }) => code === 'unusable_config' && severity === 'warning'),
      );
    assert.deepEqual(lint({ props: { sceneGraph } }), []);
  });

  it('has a lint warning for each required port that is not connected', () => {
    const codes = lint({ templateId: 'product-reel', product: 'Lamp' }).map(({ code }) => code);
    assert.deepEqual(codes.sort(), ['required_port_unfed', 'required_port_unfed', 'unknown_config_key']);
  });
});

describe('a failure of video:renderer', () => {
  it('reports a missing template and a template together with a scene graph', async () => {
    await assert.rejects(runNode('video:renderer', {}), {
      code: 'invalid_config',
      message: /Choose a template/,
    });
    const bothModes = { templateId: 'quote-card', props: { sceneGraph: createScene() } };
    await assert.rejects(runNode('video:renderer', bothModes), {
      code: 'invalid_config',
      message: /both set/,
    });
  });

  it('reports what is wrong in a scene graph by pointer', async () => {
    const sceneGraph = { ...createScene(), fps: 0, width: 'wide' };
    await assert.rejects(runNode('video:renderer', { props: { sceneGraph } }), {
      code: 'invalid_scene_graph',
      message: /\/fps .*; \/width /,
    });
  });
});

const backend = await getBackend(readSettings(), AbortSignal.timeout(30_000)).catch(() => undefined);

describe('a render by video:renderer', { skip: backend === undefined && 'this machine has no codec' }, () => {
  it('returns a video with its size, duration and poster', async () => {
    const progressReports: number[] = [];
    const base = makeContext();
    const ctx = { ...base, progress: (fraction: number) => progressReports.push(fraction) };
    const photo = await base.upload(await plainImage(80, 60, '#cc3300'), 'image/png');
    const sceneGraph = createScene({ overlays: [{ type: 'image', src: '{{photo}}' }] });
    const { video } = await runNode('video:renderer', { props: { sceneGraph }, photo }, ctx);
    const media = video as MediaRef;
    assert.deepEqual(
      [media.contentType, media.width, media.height, media.duration],
      ['video/mp4', 160, 90, 1],
    );
    assert.deepEqual([media.render?.fps, media.render?.frameCount, media.render?.warnings], [10, 10, []]);
    assert.equal(media.render?.backend, backend?.name);
    const info = await probeMedia(base.bytesOf(media), ctx.signal);
    assert.deepEqual([info.video?.width, info.durationSeconds], [160, 1]);
    const poster = await readPixels(base.bytesOf({ ...media, mediaId: media.render?.posterId ?? '' }));
    const [red = 0, green = 255] = poster.at(80, 45);
    assert.ok(red > 180 && green < 80);
    assert.deepEqual(
      progressReports,
      progressReports.toSorted((a, b) => a - b),
    );
    assert.ok(progressReports.length >= 2 && (progressReports.at(-1) ?? 0) > 0.9);
  });

  it('stores nothing if it is aborted', async () => {
    const controller = new AbortController();
    const base = makeContext({ signal: controller.signal });
    let storedFiles = 0;
    const put: typeof base.media.put = (...file) => {
      storedFiles++;
      return base.media.put(...file);
    };
    const ctx = { ...base, media: { ...base.media, put }, progress: () => controller.abort('cancelled') };
    const sceneGraph = createScene({ durationInFrames: 5000 });
    await assert.rejects(
      runNode('video:renderer', { props: { sceneGraph } }, ctx),
      reason => reason === 'cancelled',
    );
    assert.equal(storedFiles, 0);
  });
});
