// Tests which result of a row a batch shows, downloads and copies.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { findRowResult, toActionTarget } from '../../../editor/session/runs/row-result.ts';
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

it('is what the actions download and copy', () => {
  assert.deepEqual(toActionTarget(find(FILE, TEXT)), { text: 'A poem' });
  assert.deepEqual(toActionTarget(find({ value: [1] })), { text: '[1]' });
  assert.deepEqual(toActionTarget(find(FILE)), FILE);
  assert.deepEqual(toActionTarget(find()), {});
});
