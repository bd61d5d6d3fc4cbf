// Tests models as data: entries that used to be code are unchanged, and calls are charged by usage.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { resolveValues } from '../../src/engine/inputs.ts';
import type { CatalogEntry, InputDef } from '../../src/graph/catalog.ts';
import { lintGraph } from '../../src/graph/lint/lint.ts';
import type { PlanNode } from '../../src/graph/plan.ts';
import type { Graph } from '../../src/graph/types.ts';
import { createNodeCatalog, findNode } from '../../src/nodes/catalog.ts';
import { hashJson } from '../../src/nodes/models/from-schema.ts';
import { getCreditsToReserve, toCredits } from '../../src/nodes/models/pricing.ts';
import { readShippedModels } from '../../src/nodes/models/shipped.ts';

const BEFORE: readonly CatalogEntry[] = JSON.parse(
  readFileSync(join(import.meta.dirname, 'entries-of-2026-11-21.json'), 'utf8'),
);
const catalog = createNodeCatalog({ SANDBOX_MODELS: true });
const SIZES = [
  'auto',
  'auto_2K',
  'auto_4K',
  'square_hd',
  'square',
  'portrait_4_3',
  'portrait_16_9',
  'landscape_4_3',
  'landscape_16_9',
];
const SEEDREAM = {
  image_size: { enum: SIZES, default: undefined, description: 'Default: set by the model.' },
};

/** Corrections since then, by node type and field. `undefined`: the member was removed. */
const CHANGED: Readonly<Record<string, Readonly<Record<string, Partial<Record<keyof InputDef, unknown>>>>>> =
  {
    'generate:fal_seedream': SEEDREAM,
    'edit:fal_seedream': SEEDREAM,
  };

/** Fields that were added since then. */
const ADDED: ReadonlySet<string> = new Set(['server', 'seed', 'steps', 'negative_prompt']);

describe('catalog entries of 2026-11-21', () => {
  for (const before of BEFORE) {
    it(`are unchanged except for the corrections (${before.nodeType})`, () => {
      const currentEntry = catalog.find(before.nodeType);
      const names = new Set(before.inputs.map(({ id }) => id));
      const inputs = (currentEntry?.inputs ?? []).filter(({ id }) => names.has(id) || !ADDED.has(id));
      const expected = before.inputs.map(input => {
        // Fields with whole numbers are now marked as such.
        const integer = inputs.find(({ id }) => id === input.id)?.integer === true ? { integer: true } : {};
        return JSON.parse(JSON.stringify({ ...input, ...integer, ...CHANGED[before.nodeType]?.[input.id] }));
      });
      // What a model is for and its license were added later, and descriptions were rewritten.
      const { hidden, isAvailable, provider, task, family, license, ...rest } = currentEntry as CatalogEntry;
      const { description } = rest;
      assert.deepEqual({ ...rest, inputs }, { ...before, description, inputs: expected });
    });
  }

  for (const nodeType of ['text:openai_chat', 'text:openai_responses']) {
    it(`refuse a fraction of a token in lint and in a run (${nodeType})`, () => {
      const config = { maxTokens: 20.5, maxCredits: 1 };
      const data = { label: 'n', category: 'model', nodeType, config };
      const graph = { nodes: [{ id: 'n', type: 'basedNode', position: { x: 0, y: 0 }, data }], edges: [] };
      const [issue] = lintGraph(graph as Graph, catalog).issues.filter(
        ({ code }) => code === 'value_out_of_range',
      );
      assert.match(issue?.message ?? '', /whole number/);
      const inputDefs = (catalog.find(nodeType)?.inputs ?? []).filter(({ isPort }) => !isPort);
      const node = { inputDefs, inputs: [] } as unknown as PlanNode;
      assert.throws(() => resolveValues(node, config, new Map()), { code: 'invalid_config' });
    });
  }

  it('accept only whole numbers for seeds and step counts', () => {
    for (const { nodeType, inputs } of catalog.entries.filter(({ source }) => source === 'vendor')) {
      if (nodeType.includes('comfyui')) continue;
      for (const { id, type, integer } of inputs) {
        if (type === 'NUMBER' && /^(?:seed|num_.*|.*_steps)$/.test(id))
          assert.equal(integer, true, `${nodeType}.${id}`);
      }
    }
  });
});

describe('a shipped model', () => {
  it('is charged by the units that fal bills', () => {
    const definition = findNode('talking:fal_omnihuman');
    const values = { resolution: '720p', maxCredits: 50, audio: { duration: null } };
    assert.ok(definition);
    assert.deepEqual(getCreditsToReserve(definition, values), { credits: 50, isExact: false });
    assert.equal(toCredits(definition.pricing?.settle?.(values, { billable_units: 2 }) ?? Number.NaN), 32);
    assert.equal(definition.pricing?.settle?.(values, {}), null);
  });

  it('has the hash of its source if it was transcribed', () => {
    const transcribed = readShippedModels().filter(
      ({ schema }) => !/ 1\.10\.1|list of models/.test(schema.source),
    );
    assert.equal(transcribed.length, 18);
    for (const { nodeType, fields, output, schema } of transcribed)
      assert.equal(schema.hash, hashJson([fields, output]), nodeType);
  });

  it('states where and when its schema and its price were read', () => {
    for (const { nodeType, schema, priceSource, price } of readShippedModels()) {
      assert.ok(schema.source.length > 10, nodeType);
      assert.ok(priceSource.length > 10, nodeType);
      assert.match(schema.hash ?? '', /^[0-9a-f]{16}$/, nodeType);
      assert.ok(price === null || /\d{4}-\d{2}-\d{2}/.test(priceSource), nodeType);
    }
  });
});
