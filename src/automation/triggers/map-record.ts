// Maps the record of a run to the inputs of the run that follows it: a large record in a thread.
import { AppError } from '../../lib/errors.ts';
import { parseExactJson } from '../../lib/exact-numbers.ts';
import { stringifyJson } from '../../lib/json-text.ts';
import { createThreadPool, TaskTooCostlyError } from '../../lib/threads/pool.ts';
import { getWork } from '../../lib/work.ts';
import type { ExecutionRecord } from '../../runs/read/present-execution.ts';
import { mapInputs } from './map-inputs.ts';

export interface RecordMapping {
  /** JSON pointers by node id, as JSON text. */
  readonly pointers: string;
  /** The record, as JSON text. */
  readonly text: string;
}

/** Parsing and mapping a smaller record takes a few milliseconds. */
const SMALL_CHARACTERS = 250_000;

const pool = createThreadPool<RecordMapping, string>({
  module: new URL('./map-thread', import.meta.url),
  threads: 1,
  timeoutMs: 10_000,
  maxHeapMb: 768,
  maxWaiting: 10,
});

/** Returns the inputs as JSON text. Throws 413 `payload_too_large`. */
export async function mapRecord(pointers: string, record: ExecutionRecord): Promise<string> {
  const text = stringifyJson(record);
  if (text.length <= SMALL_CHARACTERS) return mapInputs(pointers, parseExactJson(text));
  try {
    return await pool.run({ pointers, text }, getWork());
  } catch (err) {
    if (!(err instanceof TaskTooCostlyError)) throw err;
    const message =
      'Reading the record of the followed run took too much time or memory. Let it have smaller outputs.';
    throw new AppError('payload_too_large', message, { cause: err });
  }
}
