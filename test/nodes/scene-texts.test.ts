// Tests that lint warns of texts in scenes that no font can draw.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { lintGraph } from '../../src/graph/lint/lint.ts';
import type { JsonObject } from '../../src/graph/types.ts';
import { createNodeCatalog } from '../../src/nodes/catalog.ts';
import { edge, node } from '../graph/fixture.ts';

const catalog = createNodeCatalog({ SANDBOX_MODELS: true });
const TIBETAN = 'བཀྲ་ཤིས';
const BALINESE = 'ᬅᬓ᭄ᬱᬭ';

const lint = (config: JsonObject, text = '') => {
  const nodes = [node('words', 'input:text', { value: text }), node('video', 'video:renderer', config)];
  const edges = text === '' ? [] : [edge('words.text > video.headline')];
  return lintGraph({ nodes, edges }, catalog)
    .issues.filter(({ code }) => code === 'undrawable_text')
    .map(({ severity, nodeId, path, message }) => ({ severity, nodeId, path, message }));
};
const scene = (...elements: readonly JsonObject[]) => ({
  props: { sceneGraph: { fps: 30, width: 640, height: 360, scenes: [{ elements }] } },
});
const FONT = 'has characters for which there is no font, so they are drawn as boxes';

describe('lint of a video', () => {
  it('names the script and the element of a text that cannot be drawn', () => {
    assert.deepEqual(
      lint(
        scene(
          { type: 'text', text: 'Grüße, 你好, สวัสดี, 👋🏽' },
          { type: 'group', elements: [{ type: 'text', id: 'title', runs: [{ text: `A ${TIBETAN}` }] }] },
          { type: 'counter', to: 3, suffix: ` ${BALINESE}` },
        ),
      ),
      [
        {
          severity: 'warning',
          nodeId: 'video',
          path: '/nodes/1/data/config/props/sceneGraph/scenes/0/elements/1/elements/0',
          message: `The element "title" at /scenes/0/elements/1/elements/0 ${FONT}: Tibetan.`,
        },
        {
          severity: 'warning',
          nodeId: 'video',
          path: '/nodes/1/data/config/props/sceneGraph/scenes/0/elements/2',
          message: `The element at /scenes/0/elements/2 ${FONT}: Balinese.`,
        },
      ],
    );
  });

  it('names characters of private use, but no controls', () =>
    assert.deepEqual(
      lint(scene({ type: 'text', text: 'a\u000b\u0085\u001b\u200d\ue000' })).map(({ message }) => message),
      [`The element at /scenes/0/elements/0 ${FONT}: \ue000 (U+E000).`],
    ));

  it('checks the texts of connected input nodes', () => {
    const config = scene({ type: 'text', text: '{{headline}}!' });
    assert.deepEqual(lint(config, 'Hello'), []);
    assert.deepEqual(
      lint(config, TIBETAN).map(({ message }) => message),
      [`The element at /scenes/0/elements/0 ${FONT}: Tibetan.`],
    );
    assert.equal(lint(scene({ type: 'text', text: '{{headline}}'.repeat(500) }), 'x'.repeat(3000)).length, 0);
  });

  it('checks captions, blocks and templates', () => {
    const { props } = scene();
    const captionTrack = { words: [{ text: TIBETAN, start: 0, end: 1 }] };
    const block = { blockId: 'title', props: { title: BALINESE } };
    assert.deepEqual(
      [
        ...lint({ props: { sceneGraph: { ...props.sceneGraph, captionTrack } } }),
        ...lint({ props: { sceneGraph: { ...props.sceneGraph, scenes: [block] } } }),
        ...lint({ templateId: 'quote-card', props: { quote: TIBETAN } }),
      ].map(({ path, message }) => [path?.replace('/nodes/1/data/config/props', ''), message]),
      [
        ['/sceneGraph/captionTrack', `The caption track at /captionTrack ${FONT}: Tibetan.`],
        ['/sceneGraph/scenes/0', `The scene at /scenes/0 ${FONT}: Balinese.`],
        ['', `The element at /scenes/0/elements/2 ${FONT}: Tibetan.`],
      ],
    );
  });
});
