// The findNearestName known name: found by edit distance, at a cost that no list of names can raise.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createWorkBudget, findNearestName, indexNames } from '../../src/graph/nearest.ts';

describe('findNearestName', () => {
  for (const [name, names, expected] of [
    ['promt', ['image', 'prompt', 'text'], 'prompt'],
    ['Image-Url', ['image', 'imageUrl'], 'imageUrl'],
    ['zzz', ['image', 'prompt'], undefined],
    ['abc', ['abd', 'abcd'], 'abd'],
    ['', ['image'], undefined],
  ] as const) {
    it(`${JSON.stringify(name)} is ${expected}`, () => assert.equal(findNearestName(name, names), expected));
  }

  it('stops once the budget is used up', () => {
    const index = indexNames(
      Array.from({ length: 20_000 }, (_, index) => `${index}`.padStart(70, 'abcdefg')),
    );
    const work = createWorkBudget();
    const { remaining } = work;
    for (let i = 0; i < 1000; i++) findNearestName(`${i}`.padStart(70, 'gfedcba'), index, work);
    // At most one comparison exceeds it.
    assert.ok(work.remaining > -10_000, `${remaining - work.remaining} characters compared`);
    assert.equal(findNearestName('0'.padStart(70, 'abcdefg'), index, work), undefined);
  });
});
