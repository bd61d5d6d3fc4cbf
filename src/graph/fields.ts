// Validates a field value: its type, bounds, integers, steps, list items.
import type { InputDef } from './catalog.ts';
import type { Json } from './types.ts';

// Steps such as 0.1 have no exact binary representation.
const TOLERANCE = 1e-6;

/** Returns the violated constraint as the end of a sentence with "must be", or undefined if the value is valid. */
export function findFieldProblem(value: unknown, def: InputDef): string | undefined {
  if (typeof value === 'string' && def.enum !== undefined && !def.enum.includes(value)) {
    return `one of ${def.enum.join(', ')}`;
  }
  if (typeof value === 'number') return findNumberProblem(value, def);
  return Array.isArray(value) && def.type === 'LIST' ? findListProblem(value.length, def) : undefined;
}

export function findNumberProblem(
  value: number,
  { min, max, step, integer }: Pick<InputDef, 'min' | 'max' | 'step' | 'integer'>,
): string | undefined {
  if (min !== undefined && value < min) return `at least ${min}`;
  if (max !== undefined && value > max) return `at most ${max}`;
  if (integer === true && !Number.isInteger(value)) return 'a whole number';
  if (step === undefined || step <= 0) return undefined;
  const steps = (value - (min ?? 0)) / step;
  if (Math.abs(steps - Math.round(steps)) <= TOLERANCE) return undefined;
  return min === undefined || min === 0 ? `a multiple of ${step}` : `${min} and a multiple of ${step} more`;
}

export function findListProblem(
  length: number,
  { minItems = 0, maxItems = Number.POSITIVE_INFINITY }: Pick<InputDef, 'minItems' | 'maxItems'>,
): string | undefined {
  if (length < minItems) return `a list of at least ${minItems}`;
  return length > maxItems ? `a list of at most ${maxItems}` : undefined;
}

/** Returns whether the value is one of the field. References such as {{name}} are decided when the node runs. */
export function acceptsValue(field: InputDef, value: Json | undefined): boolean {
  if (typeof value === 'string' && value.includes('{{')) return true;
  if (field.enum !== undefined) return typeof value === 'string' && field.enum.includes(value);
  switch (field.type) {
    case 'NUMBER':
      return typeof value === 'number' && findNumberProblem(value, field) === undefined;
    case 'BOOLEAN':
      return typeof value === 'boolean';
    case 'TEXT':
      return typeof value === 'string';
    default:
      return true;
  }
}
