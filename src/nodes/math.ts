// Declares the node that computes with two numbers.
import { choice, defineNode, NodeError, number } from './define.ts';

const OPERATIONS = {
  add: (a: number, b: number) => a + b,
  subtract: (a: number, b: number) => a - b,
  multiply: (a: number, b: number) => a * b,
  divide: (a: number, b: number) => a / b,
  power: (a: number, b: number) => a ** b,
  modulo: (a: number, b: number) => a % b,
  min: Math.min,
  max: Math.max,
} as const;

const NAMES = ['add', 'subtract', 'multiply', 'divide', 'power', 'modulo', 'min', 'max'] as const;

export const math = defineNode({
  nodeType: 'utility:math',
  forecastMode: 'by-value',
  label: 'Math',
  description: 'Calculates with two numbers.',
  category: 'utility',
  inputs: { a: number('A', { required: true }), b: number('B', { required: true }) },
  config: { operation: choice('Operation', NAMES, { isPrimary: true }) },
  outputs: { number: number('Number') },
  run: ({ a, b, operation }) => {
    if (b === 0 && (operation === 'divide' || operation === 'modulo')) {
      throw new NodeError('division_by_zero', `${a} cannot be divided by zero.`);
    }
    const result = OPERATIONS[operation](a, b);
    if (Number.isFinite(result)) return { number: result };
    throw new NodeError('not_a_finite_number', `${operation} of ${a} and ${b} has no finite result.`);
  },
});
