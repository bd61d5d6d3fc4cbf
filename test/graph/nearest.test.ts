// Tests findNearestName, which suggests a name for a misspelled one within a bounded number of steps.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createComparisonBudget, findNearestName, indexNames } from '../../src/graph/nearest.ts';

describe('findNearestName', () => {
  for (const [name, names, expected] of [
    ['promt', ['image', 'prompt', 'text'], 'prompt'],
    ['Image-Url', ['image', 'imageUrl'], 'imageUrl'],
    ['zzz', ['image', 'prompt'], undefined],
    ['abc', ['abd', 'abcd'], 'abd'],
    ['', ['image'], undefined],
  ] as const) {
    it(`finds ${expected} for ${JSON.stringify(name)}`, () =>
      assert.equal(findNearestName(name, names), expected));
  }

  it('returns undefined when the budget is used up', () => {
    const index = indexNames(
      Array.from({ length: 20_000 }, (_, index) => `${index}`.padStart(70, 'abcdefg')),
    );
    const budget = createComparisonBudget();
    const { remaining } = budget;
    for (let i = 0; i < 1000; i++) findNearestName(`${i}`.padStart(70, 'gfedcba'), index, budget);
    // At most one comparison exceeds the budget.
    assert.ok(budget.remaining > -10_000, `${remaining - budget.remaining} characters compared`);
    assert.equal(findNearestName('0'.padStart(70, 'abcdefg'), index, budget), undefined);
  });
});
