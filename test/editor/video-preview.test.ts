// Tests what the preview of a video gets from the board: the values of connected nodes, and notes in place of pointers.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Board } from '../../editor/board/board.ts';
import { createCatalog } from '../../editor/board/catalog.ts';
import {
  describePreviewError,
  describeWarning,
} from '../../editor/pages/editor/video-editor/preview-notes.ts';
import { collectPreviewValues } from '../../editor/pages/editor/video-editor/preview-values.ts';
import type { NodeDisplay } from '../../editor/session/runs/stored-results.ts';
import { ApiError } from '../../sdk/src/errors.ts';
import type { GraphEdge, GraphNode, JsonObject } from '../../src/graph/types.ts';
import { createNodeCatalog } from '../../src/nodes/catalog.ts';

const catalog = createCatalog(createNodeCatalog({ SANDBOX_MODELS: true } as never).entries);
const node = (id: string, nodeType: string, config: JsonObject = {}): GraphNode => {
  const inputs = catalog.ports(nodeType, config).inputs.map(({ id, label, type }) => ({ id, label, type }));
  const data = { label: id, category: 'utility', nodeType, config, inputs };
  return { id, type: 'basedNode', position: { x: 0, y: 0 }, data };
};
const edge = (from: string, port: string): GraphEdge => {
  const [source = '', output = ''] = from.split('.');
  return { id: port, source, target: 'video', sourceHandle: `out-${output}`, targetHandle: `in-${port}` };
};
const display = (state: Partial<NodeDisplay>): NodeDisplay => state as NodeDisplay;

it('collects the values of input nodes and the latest results of others', () => {
  const config = { templateId: 'product-reel' };
  const inputs = ['hook', 'image', 'product', 'price', 'cta'].map(id => ({ id, label: id, type: 'TEXT' }));
  const video: GraphNode = {
    ...node('video', 'video:renderer', config),
    data: {
      ...node('video', 'video:renderer', config).data,
      inputs: inputs.map(p => (p.id === 'image' ? { ...p, type: 'IMAGE' } : p)),
    },
  };
  const board: Board = {
    fields: {},
    nodes: [
      video,
      node('hook', 'input:text', { value: 'Warm' }),
      node('empty', 'input:text', { value: '' }),
      node('picture', 'input:image'),
      node('line', 'utility:text_template', { template: 'x' }),
      node('late', 'utility:text_template', { template: 'x' }),
    ],
    edges: [
      edge('hook.text', 'hook'),
      edge('empty.text', 'product'),
      edge('picture.image', 'image'),
      edge('line.text', 'price'),
      edge('late.text', 'cta'),
    ],
  };
  const displays = new Map([
    ['hook', display({ text: 'Cold' })],
    ['picture', display({ outputUrl: '/cdn/med_1/a.png' })],
    ['line', display({ text: '5 EUR' })],
  ]);
  // The same as in other files of this process.
  globalThis.location = new URL('https://example.com/flow/wf_1') as unknown as Location;
  assert.deepEqual(collectPreviewValues(board, catalog, 'video', displays), {
    hook: 'Warm',
    image: 'https://example.com/cdn/med_1/a.png',
    price: '5 EUR',
  });
});

describe('the notes of a preview', () => {
  const graph = {
    fps: 30,
    scenes: [{ duration: 2, elements: [{ type: 'text', text: 'Hello', fontSize: 'huge' }] }],
  };
  const error = new ApiError({
    status: 400,
    headers: new Headers(),
    body: {
      error: 'The scene graph cannot be used: /scenes/0/elements/0/fontSize has the wrong form.',
      code: 'invalid_scene_graph',
      issues: [{ path: '/scenes/0/elements/0/fontSize', code: 'pattern', message: 'has the wrong form' }],
    },
  });

  it('name the layer and the field of an invalid value', () => {
    assert.equal(
      describePreviewError(error, graph),
      'The preview cannot be drawn. Check font size of “Text: Hello”.',
    );
    assert.match(describePreviewError(error, undefined) ?? '', /does not fit the template/);
    assert.equal(describePreviewError(new Error('offline'), graph), undefined);
  });

  it('name the layer of a file that could not be read', () => {
    const warning = '/scenes/0/elements/0 its URL responded with status 404.';
    assert.equal(describeWarning(warning, graph), '“Text: Hello”: its URL responded with status 404.');
    assert.doesNotMatch(describeWarning(warning, undefined), /\/scenes/);
  });
});
