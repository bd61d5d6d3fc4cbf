// Tests that ids have the right format, sort by creation time and are unique.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isId, newId } from '../../src/lib/ids.ts';

describe('newId', () => {
  it('returns an id with the prefix of its kind', () => {
    const id = newId('workflow');
    assert.match(id, /^wf_[0-9a-hjkmnp-tv-z]{26}$/);
    assert.ok(isId('workflow', id));
    assert.ok(!isId('execution', id));
  });

  it('returns ids that sort by creation time', () => {
    const ids = [0, 1, 31, 32, 1_700_000_000_000, 1_700_000_000_001].map(ms => newId('execution', ms));
    assert.deepEqual(ids, ids.toSorted());
  });

  it('returns 20,000 different ids', () => {
    const ids = Array.from({ length: 20_000 }, () => newId('media', 0));
    assert.equal(new Set(ids).size, ids.length);
  });
});

describe('isId', () => {
  it('rejects a missing, extra or invalid character', () => {
    const id = newId('media');
    for (const text of [
      '',
      'med_',
      id.slice(0, -1),
      `${id}0`,
      `${id.slice(0, -1)}i`,
      id.toUpperCase(),
      `${id}\n`,
    ]) {
      assert.ok(!isId('media', text), JSON.stringify(text));
    }
  });
});
