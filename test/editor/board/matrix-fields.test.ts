// Tests what a comparison on the board can vary: inputs, models and settings.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createCatalog } from '../../../editor/board/catalog.ts';
import { listMatrixFields, toMatrix } from '../../../editor/pages/editor/batch/source.ts';
import type { GraphNode } from '../../../src/graph/types.ts';
import { createNodeCatalog } from '../../../src/nodes/catalog.ts';

const { entries } = createNodeCatalog({ SANDBOX_MODELS: true });
// As if every provider had a key.
const catalog = createCatalog(entries.map(({ isAvailable: _, hidden: __, ...entry }) => entry));
const node = (id: string, nodeType: string): GraphNode => ({
  id,
  type: 'basedNode',
  position: { x: 0, y: 0 },
  data: { label: id, category: 'model', nodeType, config: {} },
});

it('a comparison can vary inputs, the model of a node, and its settings', () => {
  const nodes = [node('idea', 'input:text'), node('picture', 'generate:fal_flux_dev')];
  const fields = listMatrixFields({ fields: {}, nodes, edges: [] }, catalog, 'Inputs');
  const labels = fields.map(({ group, label }) => `${group}: ${label}`);
  assert.deepEqual(labels.slice(0, 2), ['Inputs: idea', 'picture: Model']);
  assert.ok(labels.includes('picture: Seed'));
  const model = fields.find(({ label }) => label === 'Model');
  assert.ok(model?.choices);
  assert.ok(model.choices.includes('generate:fal_flux_schnell'));
  assert.equal(model.names?.get('generate:fal_flux_schnell'), 'FLUX.1 Schnell');
  // Models without a known price need a limit, which the node does not have.
  assert.ok(model.choices.every(type => catalog.find(type)?.estimatedCredits !== null));
  assert.deepEqual(toMatrix([{ matrixField: model, values: ['a', 'b'] }]), {
    matrix: { inputs: {}, config: { picture: { nodeType: ['a', 'b'] } } },
  });
});

it('a comparison cannot vary a setting that an edge feeds, even without a handle', () => {
  const nodes = [node('idea', 'input:text'), node('picture', 'generate:fal_flux_dev')];
  const countPrompts = (targetHandle?: string): number =>
    listMatrixFields(
      {
        fields: {},
        nodes,
        edges: [
          {
            id: '1',
            source: 'idea',
            target: 'picture',
            ...(targetHandle === undefined ? {} : { targetHandle }),
          },
        ],
      },
      catalog,
      'Inputs',
    ).filter(({ nodeId, field }) => nodeId === 'picture' && field === 'prompt').length;
  assert.equal(countPrompts('in-other'), 1);
  assert.equal(countPrompts('in-prompt'), 0);
  assert.equal(countPrompts(), 0);
});
