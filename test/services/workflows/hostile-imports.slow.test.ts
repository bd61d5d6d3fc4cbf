// Tests that hostile files are refused by a sentence: thousands of random damages of valid files, and known attacks.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AppError } from '../../../src/lib/errors.ts';
import { createNodeCatalog } from '../../../src/nodes/catalog.ts';
import { readImport } from '../../../src/services/workflows/read-import.ts';
import { prepareGraph } from '../../../src/services/workflows/write-graph.ts';
import { convert, makeFile, makeNode, TEXT_TO_IMAGE } from '../../graph/comfyui/ui-files.ts';
import { isNightly } from '../../support/tier.ts';

const catalog = createNodeCatalog({ SANDBOX_MODELS: false });
const DEPS = { catalog, settings: { ARRANGE_ON_WRITE: false } } as const;
const CODES = ['invalid_graph', 'unknown_format', 'invalid_request'];

/** Returns the message of the refusal, or undefined if the file became a workflow. Throws other errors. */
function readOrRefuse(text: string): string | undefined {
  try {
    const read = readImport(catalog, text, 'Test');
    if (read.format !== 'graphwright')
      prepareGraph(DEPS, { ...read, autoLayout: 'always', stored: undefined });
    return undefined;
  } catch (err) {
    assert.ok(err instanceof AppError, `${(err as Error).stack}`);
    assert.ok(CODES.includes(err.code), err.code);
    assert.match(err.message, /^\S.*\.$/s);
    return err.message;
  }
}

const SUBGRAPH = 'f4a1c2d0-0000-4000-8000-000000000001';
const inner = (id: string, nodes: readonly unknown[]) => ({
  id,
  name: 'Inner',
  inputNode: { id: -10 },
  outputNode: { id: -20 },
  inputs: [{ name: 'text', type: 'STRING' }],
  outputs: [{ name: 'CONDITIONING', type: 'CONDITIONING' }],
  nodes,
  links: [
    { id: 1, origin_id: -10, origin_slot: 0, target_id: 6, target_slot: 0, type: 'STRING' },
    { id: 2, origin_id: 6, origin_slot: 0, target_id: -20, target_slot: 0, type: 'CONDITIONING' },
  ],
});
const NESTED = makeFile(
  [
    makeNode(1, SUBGRAPH, {
      outputs: ['CONDITIONING'],
      inputs: [{ name: 'text', widget: { name: 'text' } }],
      values: ['a'],
    }),
    makeNode(2, 'Anything Everywhere', { inputs: [{ name: 'anything', link: 5 }] }),
    makeNode(3, 'PrimitiveNode', { values: [1, 'fixed'], outputs: ['INT'] }),
    makeNode(4, 'Reroute', { inputs: [{ name: '', link: 5 }], outputs: ['*'], mode: 4 }),
  ],
  [[5, 1, 0, 2, 0, 'CONDITIONING']],
  {
    definitions: {
      subgraphs: [
        inner(SUBGRAPH, [
          makeNode(6, 'CLIPTextEncode', { inputs: [{ name: 'text', link: 1, widget: { name: 'text' } }] }),
        ]),
      ],
    },
  },
);
const FAL = {
  input: { id: 'input', type: 'input', input: { prompt: 'a' } },
  a: { id: 'a', type: 'run', app: 'fal-ai/flux/dev', input: { prompt: '$input.prompt' } },
  b: { id: 'b', type: 'run', app: 'x/y', input: { image_urls: ['$a.images.0.url', '$b.x'] } },
  output: { id: 'output', type: 'display', fields: { image: '$b.image' } },
};
const PARTNER = {
  1: { class_type: 'FluxKontextProImageNode', inputs: { prompt: 'a', prompt_upsampling: false } },
  2: { class_type: 'SaveImage', inputs: { images: ['1', 0] } },
};
const FILES = [TEXT_TO_IMAGE, NESTED, convert(TEXT_TO_IMAGE).graph, FAL, PARTNER].map(file =>
  JSON.stringify(file),
);

const ODD: readonly unknown[] = [
  null,
  true,
  -1,
  1e308,
  2 ** 60,
  '',
  '__proto__',
  'constructor',
  '$input',
  '$a.b.c',
  ['1', 0],
  [[]],
  {},
  [],
  { link: 5 },
  { __proto__x: 1 },
  'a'.repeat(600),
  '\ud800',
  'Reroute',
  'workflow/x',
  SUBGRAPH,
  { name: 3 },
];

/** Damages a value at random places: other values, removed and repeated members, members with other names. */
function damage(value: unknown, random: () => number): unknown {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  if (random() < 0.03) return pick(ODD);
  if (Array.isArray(value)) {
    const items = value.map(item => damage(item, random));
    if (random() < 0.02) items.push(...items);
    return random() < 0.02 ? items.slice(1) : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value)
    .filter(() => random() > 0.01)
    .map(([key, member]) => [
      random() < 0.01 ? pick(['__proto__', 'constructor', 'x', '']) : key,
      damage(member, random),
    ]);
  return Object.fromEntries(entries);
}

function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

describe('a damaged file', () => {
  it('is read, or refused by a sentence', () => {
    let refused = 0;
    for (let seed = 1; seed <= (isNightly ? 20_000 : 1500); seed++) {
      const file = JSON.parse(FILES[seed % FILES.length] as string) as unknown;
      const text = JSON.stringify(damage(file, createRandom(seed)));
      if (readOrRefuse(text) !== undefined) refused++;
    }
    assert.ok(refused > 200, `${refused}`);
    assert.equal(({} as { x?: unknown }).x, undefined);
  });
});

describe('a hostile file', () => {
  const refuses = (file: unknown, pattern: RegExp): void =>
    assert.match(
      readOrRefuse(typeof file === 'string' ? file : JSON.stringify(file)) ?? 'it was read',
      pattern,
    );

  it('is refused for loops of nodes that exist only in the editor', () => {
    const loop = makeFile(
      [
        makeNode(1, 'Reroute', { inputs: [{ name: '', link: 1 }], outputs: ['*'] }),
        makeNode(2, 'Reroute', { inputs: [{ name: '', link: 2 }], outputs: ['*'] }),
        makeNode(3, 'SaveImage', { inputs: [{ name: 'images', type: 'IMAGE', link: 3 }] }),
      ],
      [
        [1, 2, 0, 1, 0, '*'],
        [2, 1, 0, 2, 0, '*'],
        [3, 1, 0, 3, 0, 'IMAGE'],
      ],
    );
    refuses(loop, /form a loop/);
  });

  it('is refused for too many nodes, in a list and in subgraphs', () => {
    const nodes = Array.from({ length: 10_000 }, (_, index) => makeNode(index + 1, 'Note'));
    refuses(makeFile(nodes), /has 10000 nodes, with its subgraphs expanded. The maximum is 2000/);
    const api = Object.fromEntries(nodes.map((_, index) => [index, { class_type: 'A', inputs: {} }]));
    refuses(api, /10000 nodes/);
    const fal = Object.fromEntries(nodes.map((_, index) => [index, { type: 'run', app: 'a', input: {} }]));
    refuses(fal, /10000 nodes/);
    const levels = Array.from({ length: 15 }, (_, level) =>
      inner(
        `level-${level}`,
        Array.from({ length: 9 }, (_, index) => makeNode(index + 1, `level-${level + 1}`)),
      ),
    );
    refuses(
      makeFile([makeNode(1, 'level-0')], [], { definitions: { subgraphs: levels } }),
      /more than a billion nodes/,
    );
  });

  it('is refused for subgraphs that contain themselves or are nested deeply', () => {
    const self = inner('self', [makeNode(1, 'self')]);
    refuses(makeFile([makeNode(1, 'self')], [], { definitions: { subgraphs: [self] } }), /contains itself/);
    const levels = Array.from({ length: 60 }, (_, level) =>
      inner(`level-${level}`, [makeNode(1, `level-${level + 1}`)]),
    );
    refuses(
      makeFile([makeNode(1, 'level-0')], [], { definitions: { subgraphs: levels } }),
      /more than 20 levels deep/,
    );
  });

  it('is refused for names with a special meaning, and for values of wrong types', () => {
    refuses(
      '{"__proto__":{"class_type":"A","inputs":{}},"1":{"class_type":"A","inputs":{}}}',
      /must not be __proto__/,
    );
    refuses('{"1":{"class_type":"A","inputs":{"__proto__":1}}}', /must not be __proto__/);
    refuses({ nodes: [1], links: [] }, /must be an object/);
    refuses({ nodes: [makeNode(1, 'A')], links: [[1, {}, 0, 1, 0]] }, /must be a number or a text/);
    refuses({ 1: { class_type: 'A', inputs: [] } }, /inputs must be an object/);
    refuses(`{"1":{"class_type":"A","inputs":{"a":${'['.repeat(5000)}${']'.repeat(5000)}}}}`, /^The file /);
  });
});
