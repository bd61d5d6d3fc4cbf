// Tests what messages of ComfyUI's WebSocket say about a prompt, with those of a real server (0.12.1).
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ComfyProgress, readComfyMessage } from '../../src/providers/comfyui-messages.ts';

const ID = '3e77588e-2705-4573-a295-454aa1105571';
const read = (message: object) =>
  readComfyMessage({ isText: true, data: Buffer.from(JSON.stringify(message)) }, ID);
const readBinary = (data: Buffer) => readComfyMessage({ isText: false, data }, ID);
const toState = (value: number, max: number) => ({ value, max, state: 'running', prompt_id: ID });

function encodePreview(metadata: object, image: string): Buffer {
  const json = Buffer.from(JSON.stringify(metadata));
  const head = Buffer.alloc(8);
  head.writeUInt32BE(4, 0);
  head.writeUInt32BE(json.length, 4);
  return Buffer.concat([head, json, Buffer.from(image)]);
}

describe('a message of ComfyUI', () => {
  it('says which node executes, which have finished, and how many steps are done', () => {
    const data = { prompt_id: ID };
    assert.deepEqual(read({ type: 'executing', data: { ...data, node: '2', display_node: '2' } }), {
      kind: 'executing',
      node: '2',
    });
    assert.deepEqual(read({ type: 'execution_cached', data: { ...data, nodes: ['1', 4], timestamp: 1 } }), {
      kind: 'finished',
      nodes: ['1', '4'],
    });
    assert.deepEqual(read({ type: 'executed', data: { ...data, node: '3', output: {} } }), {
      kind: 'finished',
      nodes: ['3'],
    });
    assert.deepEqual(read({ type: 'progress', data: { ...data, node: '2', value: 3, max: 4 } }), {
      kind: 'steps',
      nodes: [{ node: '2', value: 3, max: 4 }],
    });
    const nodes = { '1': toState(1, 1), '2': toState(9, 4), '3': toState(0, 0), '4': { value: 'x' } };
    assert.deepEqual(read({ type: 'progress_state', data: { ...data, nodes } }), {
      kind: 'steps',
      nodes: [
        { node: '1', value: 1, max: 1 },
        { node: '2', value: 4, max: 4 },
      ],
    });
    assert.deepEqual(read({ type: 'executing', data: { ...data, node: null } }), { kind: 'ended' });
  });

  it('has a preview, with or without metadata', () => {
    const metadata = { node_id: '2', prompt_id: ID, image_type: 'image/jpeg' };
    const withMetadata = readBinary(encodePreview(metadata, 'jpeg'));
    assert.equal(withMetadata?.kind === 'preview' && withMetadata.image.toString(), 'jpeg');
    const plain = readBinary(Buffer.concat([Buffer.of(0, 0, 0, 1, 0, 0, 0, 2), Buffer.from('png')]));
    assert.equal(plain?.kind === 'preview' && plain.image.toString(), 'png');
  });

  it('says nothing if it is about another prompt, of an unknown type, malformed or too large', () => {
    const other = { prompt_id: 'other' };
    const texts = [
      { type: 'executing', data: { ...other, node: '2' } },
      { type: 'executing', data: { node: null } },
      { type: 'progress', data: { node: '2', value: 1, max: 4 } },
      { type: 'progress_state', data: { ...other, nodes: {} } },
      { type: 'status', data: { status: { exec_info: { queue_remaining: 1 } } } },
      { type: '__proto__', data: { prompt_id: ID } },
      { type: 'toString', data: { prompt_id: ID } },
      { type: 'executing', data: { prompt_id: ID, node: { a: 1 } } },
      { type: 'executing', data: { prompt_id: ID, node: 'x'.repeat(70_000) } },
      {},
    ];
    for (const text of texts) assert.equal(read(text), undefined, JSON.stringify(text).slice(0, 80));
    assert.equal(readComfyMessage({ isText: true, data: Buffer.from('{"type":') }, ID), undefined);
    const binaries = [
      Buffer.alloc(0),
      Buffer.alloc(7),
      Buffer.of(0, 0, 0, 3, 0, 0, 0, 0, 1),
      Buffer.of(0, 0, 0, 4, 0xff, 0xff, 0xff, 0xff, 1),
      Buffer.alloc(300_000, 1),
      encodePreview(other, 'jpeg'),
      Buffer.concat([Buffer.of(0, 0, 0, 4, 0, 0, 0, 2), Buffer.from('[]jpeg')]),
    ];
    for (const binary of binaries) assert.equal(readBinary(binary), undefined);
    assert.deepEqual(read({ type: 'executing', data: { node: '2' } }), { kind: 'executing', node: '2' });
  });
});

describe('the progress of a graph', () => {
  const GRAPH = {
    '1': { class_type: 'CheckpointLoaderSimple', inputs: {} },
    '2': { class_type: 'KSampler', inputs: { steps: 8 }, _meta: { title: 'Second pass' } },
    '3': { class_type: 'SaveImage', inputs: { images: ['2', 0] } },
  };

  it('is the share of steps, with the label of the node that executes', () => {
    const progress = new ComfyProgress(GRAPH);
    const seen: unknown[] = [];
    const apply = (message: object): void => {
      const read = readComfyMessage({ isText: true, data: Buffer.from(JSON.stringify(message)) }, ID);
      if (read !== undefined) progress.apply(read);
      seen.push([progress.fraction, progress.label]);
    };
    const data = { prompt_id: ID };
    apply({ type: 'execution_cached', data: { ...data, nodes: [] } });
    apply({ type: 'executing', data: { ...data, node: '1' } });
    apply({ type: 'executing', data: { ...data, node: '2' } });
    apply({ type: 'progress', data: { ...data, node: '2', value: 4, max: 8 } });
    apply({ type: 'progress_state', data: { ...data, nodes: { '1': toState(1, 1), '2': toState(8, 8) } } });
    apply({ type: 'executing', data: { ...data, node: '3' } });
    apply({ type: 'executed', data: { ...data, node: '3' } });
    assert.deepEqual(seen, [
      [0, undefined],
      [0, 'CheckpointLoaderSimple'],
      [0.1, 'Second pass'],
      [0.5, 'Second pass'],
      [0.9, 'Second pass'],
      [0.9, 'SaveImage'],
      [1, 'SaveImage'],
    ]);
  });

  it('counts the steps of a scheduler where the sampler reports them', () => {
    const progress = new ComfyProgress({
      a: { class_type: 'BasicScheduler', inputs: { steps: 9 } },
      b: { class_type: 'SamplerCustomAdvanced', inputs: { sigmas: ['a', 0] } },
    });
    progress.apply({ kind: 'steps', nodes: [{ node: 'a', value: 1, max: 1 }] });
    assert.equal(progress.fraction, 0.1);
    progress.apply({ kind: 'steps', nodes: [{ node: 'b', value: 4, max: 9 }] });
    assert.equal(progress.fraction, 0.5);
  });

  it('never falls, and ignores nodes that the graph does not have', () => {
    const progress = new ComfyProgress(GRAPH);
    progress.apply({ kind: 'steps', nodes: [{ node: '2', value: 8, max: 8 }] });
    assert.equal(progress.fraction, 0.8);
    progress.apply({ kind: 'steps', nodes: [{ node: '2', value: 1, max: 1_000_000 }] });
    assert.equal(progress.fraction, 0.8);
    progress.apply({ kind: 'executing', node: '99' });
    progress.apply({ kind: 'finished', nodes: ['99', '__proto__', 'constructor'] });
    assert.deepEqual([progress.fraction, progress.label], [0.8, 'Second pass']);
    assert.equal(new ComfyProgress({}).fraction, 0);
  });
});
