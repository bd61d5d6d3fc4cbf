// Tests ids: their format, order by age, and uniqueness.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isId, newId } from '../../src/lib/ids.ts';

describe('an id', () => {
  it('starts with the prefix of its kind and matches only the format of that kind', () => {
    const id = newId('workflow');
    assert.match(id, /^wf_[0-9a-hjkmnp-tv-z]{26}$/);
    assert.ok(isId('workflow', id));
    assert.ok(!isId('execution', id));
  });

  it('sorts by creation time', () => {
    const ids = [0, 1, 31, 32, 1_700_000_000_000, 1_700_000_000_001].map(ms => newId('execution', ms));
    assert.deepEqual(ids, ids.toSorted());
  });

  it('is never created twice', () => {
    const ids = Array.from({ length: 20_000 }, () => newId('media', 0));
    assert.equal(new Set(ids).size, ids.length);
  });

  it('is not recognized with a missing, extra or invalid character', () => {
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
