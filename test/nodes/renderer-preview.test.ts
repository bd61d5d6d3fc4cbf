// Tests the scene graphs of previews: every unmodified template can be drawn, and values of ports are inserted.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { Graph, JsonObject } from '../../src/graph/types.ts';
import { createPreviewSceneGraph, listPorts, readRenderMode } from '../../src/nodes/renderer-mode.ts';
import { openScene } from '../../src/render/scene.ts';
import { TEMPLATES } from '../../src/render/templates/catalog.ts';

const WORKFLOWS = join(import.meta.dirname, '../../templates/workflows');

const getMode = (config: JsonObject) => {
  const mode = readRenderMode(config);
  assert.ok(mode.kind !== 'none', JSON.stringify(config));
  return mode;
};
const createGraph = (config: JsonObject, values?: JsonObject): unknown =>
  createPreviewSceneGraph(getMode(config), values);

describe('the preview of an unmodified template', () => {
  for (const { id } of TEMPLATES)
    it(`can be drawn: ${id}`, () => {
      openScene(createGraph({ templateId: id }));
    });

  for (const name of readdirSync(WORKFLOWS)) {
    const file = JSON.parse(readFileSync(join(WORKFLOWS, name, 'template.json'), 'utf8')) as {
      workflow: Graph;
    };
    const videos = file.workflow.nodes.filter(({ data }) => data.nodeType === 'video:renderer');
    if (videos.length > 0)
      it(`can be drawn in the workflow template ${name}`, () => {
        for (const { data } of videos) openScene(createGraph(data.config ?? {}));
      });
  }

  it('can be drawn for slides without pictures', () => {
    for (const photos of [[{}], [{ image: '', caption: '' }, {}, {}]])
      openScene(createGraph({ templateId: 'photo-slideshow', props: { photos } }));
  });
});

describe('createPreviewSceneGraph', () => {
  it('inserts values that fit their ports', () => {
    const url = 'http://localhost/cdn/med_1/a.png';
    const text = JSON.stringify(
      createGraph(
        { templateId: 'photo-slideshow', props: { photos: [{ image: '' }, { image: '' }] } },
        { title: 7, photo1: { url }, photo2: 'file:///etc/passwd', caption1: { a: 1 }, unknown: 'x' },
      ),
    );
    assert.ok(text.includes(url) && text.includes('"text":"7"') && text.includes('{\\"a\\":1}'), text);
    assert.ok(text.includes('"sample:Photo 2"') && !text.includes('passwd'), text);
  });

  it('replaces the tokens of a scene graph by values, placeholders and defaults', () => {
    const sceneGraph = {
      fps: 30,
      width: 640,
      height: 360,
      scenes: [
        {
          duration: 2,
          elements: [
            { type: 'text', text: '{{title}} by {{author}}', fontSize: '{{size}}' },
            { type: 'image', src: '{{photo}}' },
          ],
        },
      ],
    };
    const config = { props: { sceneGraph } };
    openScene(createGraph(config));
    assert.deepEqual(
      (createGraph(config, { author: 'Ada', size: 40 }) as typeof sceneGraph).scenes[0]?.elements,
      [
        { type: 'text', text: '{{title}} by Ada', fontSize: 40 },
        { type: 'image', src: 'sample:photo' },
      ],
    );
  });
});

it('requires no connection for a picture that the props have', () => {
  const photos = [{ image: 'https://a.example/b.png' }, { image: '' }];
  const ports = listPorts(getMode({ templateId: 'photo-slideshow', props: { photos } }));
  assert.deepEqual([ports.photo1?.required, ports.photo2?.required], [false, true]);
});
