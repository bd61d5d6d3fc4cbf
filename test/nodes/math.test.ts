// Tests the math node and its limits.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runNode } from '../support/engine/node-context.ts';

const compute = (operation: string, a: number, b: number) => runNode('utility:math', { a, b, operation });

describe('utility:math', () => {
  it('computes each operation', async () => {
    const cases = { add: 9, subtract: 5, multiply: 14, divide: 3.5, power: 49, modulo: 1, min: 2, max: 7 };
    for (const [operation, number] of Object.entries(cases))
      assert.deepEqual(await compute(operation, 7, 2), { number });
  });

  it('refuses division by zero', async () => {
    await assert.rejects(compute('divide', 1, 0), { code: 'division_by_zero' });
    await assert.rejects(compute('modulo', 1, 0), { code: 'division_by_zero' });
  });

  it('refuses results that are not finite', async () => {
    await assert.rejects(compute('power', 10, 400), { code: 'not_a_finite_number' });
    await assert.rejects(compute('power', -1, 0.5), { code: 'not_a_finite_number' });
    await assert.rejects(compute('multiply', 1e200, 1e200), { code: 'not_a_finite_number' });
  });
});
