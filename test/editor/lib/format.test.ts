// Tests how the web application formats sizes.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { formatBytes } from '../../../editor/lib/format.ts';

it('formatBytes uses a unit that fits the size', () => {
  assert.deepEqual([0, 1, 999, 1500, 2e9].map(formatBytes), [
    '0 bytes',
    '1 byte',
    '999 bytes',
    '1.5 kB',
    '2 GB',
  ]);
});
