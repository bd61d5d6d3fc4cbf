// Compares a value of any type with a string from the config, for the node logic:if.
import { isDeepStrictEqual } from 'node:util';
import type { Value } from '../graph/types.ts';
import { valueToJson, valueToText } from '../graph/values.ts';
import { includesText } from '../lib/find-text.ts';
import { NodeError } from './define.ts';
import { type RegexContext, testRegex } from './regex/regex.ts';
import { parseBoundedJson } from './value-checks.ts';

export const OPERATORS = [
  'equals',
  'not_equals',
  'contains',
  'greater',
  'less',
  'is_empty',
  'matches',
] as const;
export type Operator = (typeof OPERATORS)[number];

type Comparison = (value: Value, compare: string, ctx: RegexContext) => boolean | Promise<boolean>;

const COMPARISONS: Readonly<Record<Operator, Comparison>> = {
  equals: isEqual,
  not_equals: (value, compare) => !isEqual(value, compare),
  contains,
  greater: (value, compare) => toNumber(valueToText(value)) > toNumber(compare),
  less: (value, compare) => toNumber(valueToText(value)) < toNumber(compare),
  is_empty: isEmpty,
  matches: (value, compare, ctx) => testRegex(compare, valueToText(value), ctx),
};

export interface ComparedValue {
  readonly value: Value | undefined;
  readonly operator: Operator;
  readonly compare: string;
}

/** Evaluates the comparison. A missing value is treated as an empty string. */
export async function compareValue(
  { value, operator, compare }: ComparedValue,
  ctx: RegexContext,
): Promise<boolean> {
  return COMPARISONS[operator](value ?? { type: 'TEXT', text: '' }, compare, ctx);
}

function isEqual(value: Value, compare: string): boolean {
  const json = valueToJson(value);
  if (json === compare) return true;
  // 1.0 equals 1, and JSON values are equal regardless of formatting.
  const comparedJson = parseBoundedJson(compare);
  return (
    comparedJson !== undefined &&
    isDeepStrictEqual(typeof json === 'string' ? parseBoundedJson(json) : json, comparedJson)
  );
}

function contains(value: Value, compare: string): boolean {
  const json = valueToJson(value);
  if (Array.isArray(json)) return json.some(item => item === compare || String(item) === compare);
  return includesText(valueToText(value), compare);
}

function isEmpty(value: Value): boolean {
  const json = valueToJson(value);
  if (typeof json === 'string') return json.trim() === '';
  if (json === null) return true;
  return typeof json === 'object' && Object.keys(json).length === 0;
}

function toNumber(text: string): number {
  const number = text.trim() === '' ? Number.NaN : Number(text);
  if (!Number.isNaN(number)) return number;
  throw new NodeError(
    'not_a_number',
    `${JSON.stringify(text.slice(0, 60))} is not a number. The operators greater and less compare numbers.`,
  );
}
