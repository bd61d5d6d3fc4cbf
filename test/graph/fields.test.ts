// Tests the rules of fields beyond their type, such as integers, steps and list lengths: lint reports violations, and a
// run refuses them.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { resolveValues } from '../../src/engine/inputs.ts';
import type { Catalog, InputDef } from '../../src/graph/catalog.ts';
import { findFieldProblem } from '../../src/graph/fields.ts';
import { lintGraph } from '../../src/graph/lint/lint.ts';
import { normalizeConfig } from '../../src/graph/normalize.ts';
import type { PlanNode } from '../../src/graph/plan.ts';
import type { Graph, JsonObject, Value } from '../../src/graph/types.ts';

const FIELDS: readonly InputDef[] = [
  { id: 'seconds', label: 'Seconds', type: 'NUMBER', isPort: false, integer: true, min: 3, max: 15 },
  { id: 'width', label: 'Width', type: 'NUMBER', isPort: false, step: 16, min: 64 },
  { id: 'strength', label: 'Strength', type: 'NUMBER', isPort: false, step: 0.1 },
  { id: 'audio', label: 'Audio', type: 'BOOLEAN', isPort: false, default: true },
  { id: 'negative', label: 'Negative', type: 'TEXT', isPort: false, default: 'blur', nullable: true },
  { id: 'gone', label: 'gone', type: 'TEXT', isPort: false, removed: true },
  {
    id: 'images',
    label: 'Images',
    type: 'LIST',
    isPort: true,
    itemType: 'IMAGE',
    minItems: 1,
    maxItems: 2,
    required: true,
  },
];
const ENTRY = {
  nodeType: 'generate:x',
  label: 'X',
  category: 'model',
  source: 'vendor',
  inputs: FIELDS,
  outputs: [{ id: 'text', label: 'Text', type: 'TEXT', isPort: true }],
  executionCost: 'free',
  pricingModel: 'free',
  estimatedCredits: 0,
} as const;
const catalog: Catalog = {
  entries: [ENTRY],
  find: nodeType => (nodeType === ENTRY.nodeType ? ENTRY : undefined),
  ports: () => ({ inputs: FIELDS, outputs: ENTRY.outputs }),
};
const node = { inputDefs: FIELDS.filter(({ isPort }) => !isPort), inputs: [] } as unknown as PlanNode;
const nodeWithList = { inputDefs: FIELDS, inputs: [] } as unknown as PlanNode;
const createGraph = (config: JsonObject): Graph => ({
  nodes: [
    {
      id: 'n',
      type: 'basedNode',
      position: { x: 0, y: 0 },
      data: { label: 'n', category: 'model', nodeType: 'generate:x', config },
    },
  ],
  edges: [],
});
const IMAGE: Value = {
  type: 'IMAGE',
  media: {
    mediaId: 'm',
    url: 'u',
    contentType: 'image/png',
    sha256: '0',
    bytes: 1,
    width: 1,
    height: 1,
    duration: null,
  },
};

describe('a field', () => {
  const invalidCases: readonly (readonly [JsonObject, string, RegExp])[] = [
    [{ seconds: 5.5 }, 'value_out_of_range', /must be a whole number/],
    [{ seconds: 16 }, 'value_out_of_range', /must be at most 15/],
    [{ width: 100 }, 'value_out_of_range', /must be 64 and a multiple of 16 more/],
    [{ audio: 'yes' }, 'wrong_value_type', /must be true or false/],
    [{ gone: 'x' }, 'removed_config_key', /no longer a field/],
  ];
  for (const [config, code, message] of invalidCases) {
    it(`is reported by lint and refused by a run for the config ${JSON.stringify(config)}`, () => {
      const reported = lintGraph(createGraph(config), catalog).issues.find(issue => issue.code === code);
      assert.match(reported?.message ?? '', message);
      assert.match(reported?.path ?? '', new RegExp(`config/${Object.keys(config)[0]}$`));
      assert.throws(() => resolveValues(node, config, new Map()), { code: 'invalid_config' });
    });
  }

  it('accepts decimal steps, booleans, and null if the field is nullable', () => {
    const config = { seconds: 5, width: 96, strength: 0.7, audio: false, negative: null };
    assert.deepEqual(
      lintGraph(createGraph(config), catalog).issues.filter(({ code }) => code !== 'required_port_unfed'),
      [],
    );
    assert.deepEqual({ ...resolveValues(node, config, new Map()) }, { ...config, gone: undefined });
    assert.equal(resolveValues(node, {}, new Map()).negative, 'blur');
  });

  it('accepts the text "True" as true with a warning', () => {
    const { graph, issues } = normalizeConfig(createGraph({ audio: 'True' }), catalog);
    assert.equal(graph.nodes[0]?.data.config?.audio, true);
    assert.equal(issues.length, 1);
    assert.equal(normalizeConfig(createGraph({ audio: 'maybe' }), catalog).issues.length, 0);
  });

  it('accepts lists only of the allowed length and item type', () => {
    const list = (items: readonly Value[]): ReadonlyMap<string, Value> =>
      new Map([['images', { type: 'LIST', items }]]);
    assert.equal((resolveValues(nodeWithList, {}, list([IMAGE])).images as unknown[]).length, 1);
    assert.throws(() => resolveValues(nodeWithList, {}, list([])), { message: /at least 1/ });
    assert.throws(() => resolveValues(nodeWithList, {}, list([IMAGE, IMAGE, IMAGE])), {
      message: /at most 2/,
    });
    assert.throws(() => resolveValues(nodeWithList, {}, list([{ type: 'TEXT', text: 'x' }])), {
      message: /a list of IMAGE, but received TEXT/,
    });
  });

  it('counts steps from its minimum', () => {
    const def = { id: 'x', label: 'x', type: 'NUMBER', isPort: false, min: 1, step: 8 } as const;
    assert.deepEqual(
      [1, 9, 8, 17].map(value => findFieldProblem(value, def) === undefined),
      [true, true, false, true],
    );
  });
});
