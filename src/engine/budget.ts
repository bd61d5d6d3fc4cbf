// Counts what a run records: the JSON size of its outputs and the memory they take in this process.
import type { Step, StepError } from './types.ts';

/** The limit for the outputs that one run records (text and JSON), in bytes of JSON. */
export const MAX_RUN_BYTES = 32 * 1024 * 1024;

/** The error code of the step and the run that exceed the limit. */
export const OUTPUT_TOO_LARGE = 'run_output_too_large';

export const TOO_LARGE: StepError = {
  code: OUTPUT_TOO_LARGE,
  message:
    'The outputs of the run are larger than 32 MB together. Pass on less text or JSON, use shorter lists, or split the workflow.',
};

export interface Size {
  /** Size as JSON in UTF-8. */
  readonly bytes: number;
  /** Approximate upper bound of the size in memory. */
  readonly held: number;
}

const NOTHING: Size = { bytes: 0, held: 0 };
const add = (one: Size, other: Size): Size => ({
  bytes: one.bytes + other.bytes,
  held: one.held + other.held,
});

/**
 * Returns the size of plain JSON data. Stops counting past `maxBytes`, because shared references can make the total
 * exponential.
 */
export function sizeOf(value: unknown, maxBytes: number): Size {
  const size = { bytes: 0, held: 0 };
  measure(value, { size, maxBytes, shared: new Map() });
  return size;
}

interface Measurement {
  readonly size: { bytes: number; held: number };
  readonly maxBytes: number;
  /** Large objects and arrays by their size, so that one that occurs many times is walked once. */
  readonly shared: Map<object, Size>;
}

/** Remembering smaller ones costs more than walking them again. */
const MIN_SHARED_BYTES = 4096;

function measure(value: unknown, to: Measurement): void {
  const { size } = to;
  if (typeof value === 'string') {
    size.bytes += textBytes(value);
    size.held += 24 + 2 * value.length;
  } else if (typeof value !== 'object' || value === null) {
    // Numbers and constants are 1 to 24 characters.
    size.bytes += typeof value === 'number' ? numberBytes(value) : 4;
    size.held += 16;
  } else measureObject(value, to);
}

function measureObject(value: object, to: Measurement): void {
  const { size, shared } = to;
  const known = shared.size === 0 ? undefined : shared.get(value);
  if (known !== undefined) {
    size.bytes += known.bytes;
    size.held += known.held;
    return;
  }
  const { bytes, held } = size;
  measureMembers(value, to);
  if (size.bytes - bytes >= MIN_SHARED_BYTES) {
    shared.set(value, { bytes: size.bytes - bytes, held: size.held - held });
  }
}

function measureMembers(value: object, to: Measurement): void {
  const { size, maxBytes } = to;
  if (Array.isArray(value)) {
    size.bytes += 2 + value.length;
    size.held += 32 + 8 * value.length;
    for (const item of value) {
      if (size.bytes > maxBytes) return;
      measure(item, to);
    }
    return;
  }
  size.bytes += 2;
  size.held += 56;
  for (const key in value) {
    if (size.bytes > maxBytes) return;
    size.bytes += textBytes(key) + 2;
    size.held += 16;
    measure((value as Record<string, unknown>)[key], to);
  }
}

/** Digits of small integers are counted without writing them. */
function numberBytes(value: number): number {
  if (!Number.isInteger(value) || value < 0 || value >= 1e9) return String(value).length;
  let length = 1;
  for (let limit = 10; value >= limit; limit *= 10) length++;
  return length;
}

const SHORT_TEXT = 100;

function textBytes(text: string): number {
  return text.length <= SHORT_TEXT && isPlain(text)
    ? text.length + 2
    : Buffer.byteLength(JSON.stringify(text));
}

/** Whether JSON takes one byte for each character. */
function isPlain(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code < 0x20 || code > 0x7e || code === 0x22 || code === 0x5c) return false;
  }
  return true;
}

/** Returns the size of a step from an earlier execution: its outputs, or the results of its items so far. */
export function sizeOfStep({ outputs, items }: Step, maxBytes: number): Size {
  if (outputs !== undefined) return sizeOf(outputs, maxBytes);
  return items === undefined ? NOTHING : sizeOf(items, maxBytes);
}

/** Counts the bytes of one run's outputs as they arrive. */
export class OutputMeter {
  #size = NOTHING;
  /** The node whose output exceeded the limit. */
  exceededBy: string | undefined;

  get size(): Size {
    return this.#size;
  }

  /** Adds to the total. Returns false if the total exceeds the limit; every later call then returns false too. */
  add(nodeId: string, size: Size): boolean {
    if (this.exceededBy !== undefined) return false;
    const sum = add(this.#size, size);
    if (sum.bytes > MAX_RUN_BYTES) {
      this.exceededBy = nodeId;
      return false;
    }
    this.#size = sum;
    return true;
  }
}
