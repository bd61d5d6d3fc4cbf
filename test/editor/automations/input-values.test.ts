// Tests which input values the form of a schedule sends.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { toInputValues, toPointers } from '../../../editor/pages/automations/input-values.ts';
import type { GraphNode } from '../../../src/graph/types.ts';

const createInput = (id: string, kind: string): GraphNode => ({
  id,
  type: 'basedNode',
  position: { x: 0, y: 0 },
  data: { label: id, category: 'input', nodeType: `input:${kind}` },
});
const NODES = [createInput('words', 'text'), createInput('size', 'number')];

it('a schedule sends values of the nodes of the workflow, with the types that they take', () => {
  const texts = { words: '12', size: '12', deleted: 'x', empty: '' };
  const options = { stored: undefined, keepsUnknown: false };
  assert.deepEqual(toInputValues(NODES, texts, options), { words: '12', size: 12 });
  // The published version may have other nodes, and until the workflow is loaded, its nodes are unknown.
  const all = { words: '12', size: 12, deleted: 'x' };
  assert.deepEqual(toInputValues(NODES, texts, { ...options, keepsUnknown: true }), all);
  assert.deepEqual(toInputValues(undefined, { deleted: 'x' }, options), { deleted: 'x' });
});

it('a schedule sends stored values that were not edited as they are', () => {
  const stored = { size: '12' };
  assert.deepEqual(toInputValues(NODES, { size: '12' }, { stored, keepsUnknown: false }), stored);
});

it('a trigger sends the pointers of the nodes of the workflow', () => {
  assert.deepEqual(toPointers(NODES, { words: '/title', size: '*', deleted: '/x' }), {
    words: '/title',
    size: '',
  });
});
