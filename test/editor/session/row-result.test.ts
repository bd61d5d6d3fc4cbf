// Tests which result of a row a batch shows, and where the result comes from.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { findRowResult } from '../../../editor/session/runs/row-result.ts';
import type { BatchRow } from '../../../sdk/src/types.ts';

const find = (...outputs: readonly object[]) =>
  findRowResult({ outputs: outputs as unknown as BatchRow['outputs'] });
const FILE = { url: '/cdn/scene.glb' };
const TEXT = { text: 'A poem' };

it('is the first picture, video or sound, or else a text or value, or else a file', () => {
  assert.deepEqual(find(FILE, TEXT, { url: '/cdn/a.png' }), { kind: 'media', url: '/cdn/a.png' });
  assert.deepEqual(find(FILE, TEXT), { kind: 'text', text: 'A poem' });
  assert.deepEqual(find(FILE, { value: [1] }), { kind: 'json', value: [1] });
  assert.deepEqual(find(FILE), { kind: 'media', url: '/cdn/scene.glb' });
  assert.equal(find(), undefined);
});

it('has the node and the seed of the output', () => {
  const result = find({ nodeId: 'picture', url: '/cdn/a.png', seed: 7 });
  assert.deepEqual(result, { kind: 'media', url: '/cdn/a.png', seed: 7, nodeId: 'picture' });
  assert.deepEqual(find({ nodeId: 'words', text: 'A poem' }), {
    kind: 'text',
    text: 'A poem',
    nodeId: 'words',
  });
});
