// Measures the outputs of a run: their size as JSON, and the memory they take in this process.

import { cutIntoParts } from '../lib/cut-text.ts';
import { JsonText } from '../lib/json-text.ts';
import type { Step, StepError } from './types.ts';

/** The limit for the outputs that one run records (text and JSON), in bytes of JSON. */
export const MAX_RUN_BYTES = 32 * 1024 * 1024;

/** The error code of the step and the run that exceed the limit. */
export const OUTPUT_TOO_LARGE = 'run_output_too_large';

export const TOO_LARGE_ERROR: StepError = {
  code: OUTPUT_TOO_LARGE,
  message:
    'The outputs of the run exceed 32 MB in total. Pass on less text or JSON, use shorter lists, or split the workflow.',
};

export interface Size {
  /** Size as JSON in UTF-8. */
  readonly bytes: number;
  /** Approximate upper bound of the size in memory. */
  readonly memoryBytes: number;
}

/**
 * Returns the size of plain JSON data. Stops counting past `maxBytes`, because shared references can make the total
 * exponential, and because long texts take long to measure.
 */
export function measureSize(value: unknown, maxBytes: number): Size {
  return measureWith(countJsonBytes, value, maxBytes);
}

/**
 * Returns a lower bound of the size, which leaves out the escapes and multibyte characters of long texts. This is far
 * cheaper, because a long text is neither read nor, if it was concatenated, copied into one piece.
 */
export function measureAtLeast(value: unknown, maxBytes: number): Size {
  const atLeast: CountTextBytes = (text, limit) =>
    text.length > PART_LENGTH ? text.length + 2 : countJsonBytes(text, limit);
  return measureWith(atLeast, value, maxBytes);
}

function measureWith(countTextBytes: CountTextBytes, value: unknown, maxBytes: number): Size {
  const size = { bytes: 0, memoryBytes: 0 };
  measure(value, { size, maxBytes, countTextBytes, sharedSizes: new Map() });
  return size;
}

/** Returns the size of a text as JSON. For a text larger than `maxBytes`, the result may be any size above `maxBytes`. */
type CountTextBytes = (text: string, maxBytes: number) => number;

interface Measurement {
  readonly size: { bytes: number; memoryBytes: number };
  readonly maxBytes: number;
  readonly countTextBytes: CountTextBytes;
  /** Sizes of large objects and arrays, so that an object that occurs many times is measured once. */
  readonly sharedSizes: Map<object, Size>;
}

/** Smaller objects are cheaper to measure again than to cache. */
const MIN_SHARED_BYTES = 4096;

function measure(value: unknown, measurement: Measurement): void {
  const { size } = measurement;
  if (typeof value === 'string') {
    size.bytes += measurement.countTextBytes(value, measurement.maxBytes - size.bytes);
    size.memoryBytes += 24 + 2 * value.length;
  } else if (typeof value !== 'object' || value === null) {
    // true, false and null have about 4 characters.
    size.bytes += typeof value === 'number' ? countNumberBytes(value) : 4;
    size.memoryBytes += 16;
  } else measureObject(value, measurement);
}

function measureObject(value: object, measurement: Measurement): void {
  const { size, sharedSizes } = measurement;
  if (value instanceof JsonText) {
    size.bytes += Buffer.byteLength(value.text);
    size.memoryBytes += 24 + 2 * value.text.length;
    return;
  }
  const knownSize = sharedSizes.size === 0 ? undefined : sharedSizes.get(value);
  if (knownSize !== undefined) {
    size.bytes += knownSize.bytes;
    size.memoryBytes += knownSize.memoryBytes;
    return;
  }
  const { bytes, memoryBytes } = size;
  measureMembers(value, measurement);
  if (size.bytes - bytes >= MIN_SHARED_BYTES) {
    sharedSizes.set(value, { bytes: size.bytes - bytes, memoryBytes: size.memoryBytes - memoryBytes });
  }
}

function measureMembers(value: object, measurement: Measurement): void {
  const { size, maxBytes, countTextBytes } = measurement;
  if (Array.isArray(value)) {
    size.bytes += 2 + value.length;
    size.memoryBytes += 32 + 8 * value.length;
    for (const item of value) {
      if (size.bytes > maxBytes) return;
      measure(item, measurement);
    }
    return;
  }
  size.bytes += 2;
  size.memoryBytes += 56;
  for (const key in value) {
    if (size.bytes > maxBytes) return;
    size.bytes += countTextBytes(key, maxBytes - size.bytes) + 2;
    size.memoryBytes += 16;
    measure((value as Record<string, unknown>)[key], measurement);
  }
}

/** Returns the number of digits, without formatting small integers. */
function countNumberBytes(value: number): number {
  if (!Number.isInteger(value) || value < 0 || value >= 1e9) return String(value).length;
  let length = 1;
  for (let limit = 10; value >= limit; limit *= 10) length++;
  return length;
}

const SHORT_LENGTH = 100;

/** A long text is measured in parts, because copying it whole would take as long as measuring it. */
const PART_LENGTH = 16_384;

function countJsonBytes(text: string, maxBytes: number): number {
  // Each character has at least one byte.
  if (text.length + 2 > maxBytes) return text.length + 2;
  if (text.length <= SHORT_LENGTH && isPlainAscii(text)) return text.length + 2;
  if (text.length <= PART_LENGTH) return Buffer.byteLength(JSON.stringify(text));
  let bytes = 2;
  for (const part of cutIntoParts(text, PART_LENGTH)) bytes += Buffer.byteLength(JSON.stringify(part)) - 2;
  return bytes;
}

/** Returns whether the JSON string has one byte per character. */
function isPlainAscii(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code < 0x20 || code > 0x7e || code === 0x22 || code === 0x5c) return false;
  }
  return true;
}

/** Returns the size of a step's outputs or, while a mapped node runs, of its item results so far. */
export function measureStep({ outputs, items }: Step, maxBytes: number): Size {
  const values = outputs ?? items;
  return values === undefined ? { bytes: 0, memoryBytes: 0 } : measureSize(values, maxBytes);
}
