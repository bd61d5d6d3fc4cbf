// Tests who counts as active.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { hasActiveOthers, noteActive } from '../../src/lib/active-accounts.ts';

it('others are active for a second after a request', t => {
  let nowMs = performance.now() + 10_000;
  t.mock.method(performance, 'now', () => nowMs);
  assert.equal(hasActiveOthers('a'), false);
  noteActive('a');
  assert.deepEqual([hasActiveOthers('a'), hasActiveOthers('b')], [false, true]);
  nowMs += 900;
  noteActive('b');
  assert.deepEqual([hasActiveOthers('a'), hasActiveOthers('b')], [true, true]);
  nowMs += 200;
  assert.deepEqual([hasActiveOthers('a'), hasActiveOthers('b')], [true, false]);
  nowMs += 1000;
  assert.equal(hasActiveOthers('c'), false);
});
