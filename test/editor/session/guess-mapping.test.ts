// Tests which column of a table each input gets before the user chooses.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { guessMapping } from '../../../editor/pages/editor/batch/source.ts';
import type { GraphNode } from '../../../src/graph/types.ts';

const input = (id: string, label: string, name?: string): GraphNode => ({
  id,
  type: 'basedNode',
  position: { x: 0, y: 0 },
  data: {
    label,
    category: 'input',
    nodeType: 'input:text',
    config: {},
    ...(name === undefined ? {} : { name }),
  },
});

it('matches columns with labels, names and ids of inputs, and columns of an exported batch', () => {
  const inputs = [
    input('n1', 'Product photo'),
    input('n2', 'Anything', 'headline'),
    input('n3', 'Price', 'cost'),
    input('n4', 'Other'),
  ];
  assert.deepEqual(guessMapping(inputs, ['row', 'product_photo', 'Headline', 'input: cost', 'N4']), {
    n1: 'product_photo',
    n2: 'Headline',
    n3: 'input: cost',
    n4: 'N4',
  });
  assert.deepEqual(guessMapping(inputs, ['Name']), {});
  assert.deepEqual(guessMapping(inputs.slice(0, 1), ['Name']), { n1: 'Name' });
});
