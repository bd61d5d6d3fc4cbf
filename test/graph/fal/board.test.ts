// Tests boards of workflows of fal, in both forms: models and utilities, references, inputs, and what is kept.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createFalBoard } from '../../../src/graph/fal/board.ts';
import { readFalWorkflow } from '../../../src/graph/fal/read-workflow.ts';
import type { JsonObject } from '../../../src/graph/types.ts';
import { createNodeCatalog } from '../../../src/nodes/catalog.ts';
import { createFalTypes } from '../../../src/nodes/models/fal-types.ts';

const types = createFalTypes(createNodeCatalog({ SANDBOX_MODELS: false }), []);

function build(file: unknown) {
  const workflow = readFalWorkflow(file);
  assert.ok(workflow);
  const { nodes, edges, lines } = createFalBoard(workflow, types);
  const data = new Map(nodes.map(node => [String(node.id), node.data as JsonObject]));
  return {
    types: nodes.map(node => `${node.id} ${(node.data as JsonObject).nodeType}`),
    config: (id: string) => data.get(id)?.config as JsonObject,
    data: (id: string) => data.get(id),
    edges: edges.map(edge => `${edge.source}.${edge.sourceHandle} > ${edge.target}.${edge.targetHandle}`),
    lines,
  };
}

const run = (id: string, app: string, input: object) => ({ id, type: 'run', depends: [], app, input });
const show = (fields: object) => ({ id: 'output', type: 'display', depends: [], fields });

/** The form of fal's API. */
const OBJECT = {
  input: { id: 'input', type: 'input', depends: [], input: { prompt: 'a fox' } },
  picture: run('picture', 'fal-ai/flux/dev', { prompt: '$input.prompt', num_inference_steps: 20 }),
  cut: run('cut', 'fal-ai/bria/background/remove', { image_url: '$picture.images.0.url' }),
  output: show({ image: '$cut.image', all: '$nothing.image' }),
};

describe('a workflow of fal', () => {
  it('becomes models that are connected where values refer to others', () => {
    const board = build(OBJECT);
    assert.deepEqual(board.types, [
      'input-1 input:text',
      'node-1 generate:fal_flux_dev',
      'node-2 edit:fal_bria_background_remove',
      'node-3 output:preview',
    ]);
    assert.deepEqual(board.edges, [
      'input-1.out-text > node-1.in-prompt',
      'node-1.out-image > node-2.in-image',
      'node-2.out-image > node-3.in-input',
    ]);
    assert.deepEqual(board.config('node-1'), { num_inference_steps: 20 });
    assert.deepEqual(board.config('input-1'), { value: 'a fox' });
    assert.equal(board.data('input-1')?.name, 'prompt');
    assert.deepEqual(
      board.lines.map(({ source, outcome, nodeId }) => `${source} ${outcome} ${nodeId}`),
      ['picture mapped node-1', 'cut mapped node-2', 'output mapped node-3', 'input mapped input-1'],
    );
  });

  it('is read in the form of fal’s editor, whose ids contain slashes and dots', () => {
    const id = 'fal_ai/seedance/v1.5/edit';
    const board = build({
      name: 'poster',
      contents: {
        nodes: {
          [id]: run(id, 'fal-ai/nano-banana-pro/edit', {
            prompt: '$input.text',
            image_urls: ['$input.source', 'https://example.com/cat.png'],
          }),
          output: show({ image: `$${id}.images.0.url` }),
        },
        schema: {
          input: {
            text: { name: 'text', label: 'What to change', type: 'string', default: 'a hat' },
            source: { name: 'source', label: 'Source', type: 'string' },
          },
        },
      },
    });
    assert.deepEqual(board.edges, [
      'input-1.out-text > node-1.in-prompt',
      'input-2.out-image > node-1.in-images',
      'input-3.out-image > node-1.in-images',
      'node-1.out-image > node-2.in-input',
    ]);
    assert.equal(board.data('input-1')?.label, 'What to change');
    assert.deepEqual(board.config('input-3'), { url: 'https://example.com/cat.png' });
  });

  it('maps utilities, unless they have values that change the result', () => {
    const clip = run('clip', 'fal-ai/kling-video/v2.6/pro/text-to-video', { prompt: 'waves' });
    const frame = (input: object) =>
      run('frame', 'fal-ai/ffmpeg-api/extract-frame', { video_url: '$clip.video.url', ...input });
    const joined = run('joined', 'fal-ai/ffmpeg-api/merge-videos', {
      video_urls: ['$clip.video.url', '$clip.video.url'],
    });
    const board = build({ clip, frame: frame({}), joined });
    assert.ok(board.types.includes('node-2 utility:video_frame'));
    assert.ok(board.edges.includes('node-1.out-video > node-3.in-list'));
    const last = build({ clip, frame: frame({ frame_type: 'last' }) });
    assert.ok(last.types.includes('node-2 import:unknown'));
  });

  it('keeps models that are not installed with their ports and JSON', () => {
    const mesh = run('mesh', 'someone/mesh', { image_url: '$picture.images.0.url', prompt: '$input.prompt' });
    const next = run('next', 'fal-ai/bria/background/remove', { image_url: '$mesh.preview.url' });
    const board = build({ ...OBJECT, mesh, next });
    const id = String(board.lines.find(({ source }) => source === 'mesh')?.nodeId);
    const { original, inputs, outputs, sourceType } = board.config(id);
    assert.deepEqual(JSON.parse(String(original)), mesh);
    assert.equal(sourceType, 'someone/mesh');
    assert.deepEqual(
      (inputs as JsonObject[]).map(port => port.id),
      ['image_url', 'prompt'],
    );
    assert.deepEqual(
      (outputs as JsonObject[]).map(port => port.id),
      ['preview'],
    );
    assert.ok(board.edges.some(edge => edge.startsWith(`${id}.out-preview > `)));
    assert.equal(board.lines.find(({ source }) => source === 'mesh')?.outcome, 'kept');
  });

  it('names values that have no place in a node', () => {
    const board = build({
      picture: run('picture', 'fal-ai/flux/dev', { prompt: 'a', image_size: { width: 9 }, num_images: 1 }),
    });
    assert.equal(board.lines[0]?.message, 'Values without a place in the node: image_size.');
  });

  it('is not confused with other files, and refuses malformed ones', () => {
    assert.equal(readFalWorkflow({ a: { class_type: 'KSampler', inputs: {} } }), undefined);
    assert.equal(readFalWorkflow([OBJECT]), undefined);
    assert.throws(() => readFalWorkflow({ ...OBJECT, b: { type: 'run', app: 3 } }), /app must be a text/);
    const urls = Array.from({ length: 10_001 }, () => '$a.b');
    assert.throws(
      () => readFalWorkflow({ a: run('a', 'x', { image_urls: urls }) }),
      /have 10001 values. The maximum is 10000/,
    );
    const hostile = JSON.parse('{"a":{"type":"run","app":"x"},"__proto__":{"type":"run","app":"y"}}');
    assert.throws(() => readFalWorkflow(hostile), /must not be __proto__/);
  });
});
