// Tests which ComfyUI server gets a graph, and how long the choice and how much memory the facts of servers take.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  chooseServer,
  findMissing,
  listNeeds,
  type ServerCandidate,
} from '../../../src/graph/comfyui/choose-server.ts';
import { FactsReader, readObjectInfo, type ServerFacts } from '../../../src/graph/comfyui/server-facts.ts';

function readFacts(objectInfo: unknown, reader = new FactsReader()): ServerFacts {
  const facts = readObjectInfo(objectInfo);
  if (typeof facts === 'string') throw new Error(facts);
  return reader.read(facts);
}

const loader = (files: readonly unknown[]) => ({ input: { required: { ckpt_name: [files, {}] } } });
const FACTS = readFacts({
  Loader: loader(['a.safetensors', 'sub\\b.safetensors']),
  Save: {},
  Bill: { api_node: true },
});
const GRAPH = {
  1: { class_type: 'Loader', inputs: { ckpt_name: 'a.safetensors' } },
  2: { class_type: 'Save' },
};
const NEEDS = listNeeds(GRAPH);

const server = (id: string, fields: Partial<ServerCandidate> = {}): ServerCandidate => ({
  id,
  isUp: true,
  isDraining: false,
  calls: 0,
  maxConcurrent: 2,
  prompts: 0,
  lastFiles: null,
  facts: FACTS,
  ...fields,
});
const choose = (...candidates: readonly ServerCandidate[]): string | undefined =>
  chooseServer(NEEDS, 'files', candidates)?.id;

describe('chooseServer', () => {
  it('chooses only servers that are up, not draining, not full, and have what the graph needs', () => {
    const none = readFacts({ Save: {} });
    assert.equal(choose(server('a', { isUp: false }), server('b')), 'b');
    assert.equal(choose(server('a', { isDraining: true }), server('b')), 'b');
    assert.equal(choose(server('a', { calls: 2 }), server('b', { calls: 1 })), 'b');
    assert.equal(choose(server('a', { facts: none }), server('b')), 'b');
    assert.equal(choose(server('a', { facts: none })), undefined);
  });

  it('prefers an idle server with the same files, then the one with the fewest calls', () => {
    assert.equal(choose(server('a'), server('b', { lastFiles: 'files' })), 'b');
    assert.equal(choose(server('a'), server('b', { lastFiles: 'files', calls: 1 })), 'a');
    assert.equal(choose(server('a', { calls: 1 }), server('b')), 'b');
    assert.equal(choose(server('a', { calls: 1 }), server('b', { calls: 1, lastFiles: 'files' })), 'b');
    assert.equal(choose(server('a', { prompts: 3 }), server('b')), 'b');
  });

  it('chooses a server whose types are not known last', () => {
    assert.equal(choose(server('a', { facts: undefined }), server('b', { calls: 1 })), 'b');
    assert.equal(choose(server('a', { facts: undefined })), 'a');
  });
});

describe('findMissing', () => {
  it('lists node types and files, and reads backslashes of Windows as slashes', () => {
    const graph = {
      1: { class_type: 'Loader', inputs: { ckpt_name: 'sub/b.safetensors' } },
      2: { class_type: 'Loader', inputs: { ckpt_name: 'c.safetensors', other: 'd.safetensors' } },
      3: { class_type: 'None', inputs: { lora_name: ['1', 0] } },
    };
    assert.deepEqual(findMissing(listNeeds(graph), FACTS), { nodeTypes: ['None'], files: ['c.safetensors'] });
    assert.equal(findMissing(NEEDS, FACTS), undefined);
  });
});

describe('readObjectInfo', () => {
  it('reads choices of both forms', () => {
    const facts = readFacts({ L: { input: { optional: { vae_name: ['COMBO', { options: ['x.pt'] }] } } } });
    assert.deepEqual([...facts.files], [['L\nvae_name', new Set(['x.pt'])]]);
    assert.deepEqual([...FACTS.partnerTypes], ['Bill']);
  });

  it('refuses hostile lists with a sentence', () => {
    const many = Object.fromEntries(Array.from({ length: 20_001 }, (_, index) => [`t${index}`, {}]));
    assert.match(String(readObjectInfo(many)), /more than 20,000 node types/);
    for (const value of [null, [], 'x', 5]) assert.match(String(readObjectInfo(value)), /not a JSON object/);
    assert.match(String(readObjectInfo({})), /lists no node types/);
    const odd = { __proto__: null, A: { input: { required: { ckpt_name: 5, vae_name: [[{}], {}] } } }, B: 7 };
    assert.deepEqual(readObjectInfo(odd), { types: ['A'], partners: [], lists: [], inputs: [] });
  });
});

describe('20 servers with 2,000 node types each', () => {
  const createInfo = (seed: number) =>
    Object.fromEntries(
      Array.from({ length: 2000 }, (_, index) => [
        `NodeType${index}${index > 1900 ? `of${seed}` : ''}`,
        index % 10 === 0
          ? loader(Array.from({ length: 300 }, (_, file) => `models/${seed}/file-${file}.safetensors`))
          : {},
      ]),
    );

  it('are compared in less than 2 ms, and take less than 20 MB', () => {
    globalThis.gc?.();
    const texts = Array.from({ length: 20 }, (_, seed) => JSON.stringify(readObjectInfo(createInfo(seed))));
    globalThis.gc?.();
    const before = process.memoryUsage().heapUsed;
    const reader = new FactsReader();
    const facts = texts.map(text => reader.read(JSON.parse(text)));
    globalThis.gc?.();
    const megabytes = (process.memoryUsage().heapUsed - before) / 1_048_576;
    const graph = Object.fromEntries(
      Array.from({ length: 500 }, (_, index) => [
        index,
        {
          class_type: `NodeType${index}`,
          inputs: index % 10 === 0 ? { ckpt_name: 'models/19/file-1.safetensors' } : {},
        },
      ]),
    );
    const needs = listNeeds(graph);
    const candidates = facts.map((each, index) => server(`s${index}`, { facts: each }));
    const times: number[] = [];
    for (let round = 0; round < 50; round++) {
      const startMs = performance.now();
      assert.equal(chooseServer(needs, '', candidates)?.id, 's19');
      times.push(performance.now() - startMs);
    }
    const best = Math.min(...times);
    assert.ok(best < 2, `${best} ms`);
    if (globalThis.gc !== undefined) assert.ok(megabytes < 20, `${megabytes} MB`);
  });
});
