// Runs regular expressions from graphs: limits their size and steps, and runs costly expressions in a thread.
import type { RE2JS } from 're2js';
import { createThreadPool, TaskTooCostlyError } from '../../lib/threads/pool.ts';
import { NodeError } from '../define.ts';
import { MAX_TEXT_LENGTH, requireShortLength } from '../value-checks.ts';
import { performRegexTask, type RegexResult, type RegexTask } from './task.ts';

const MAX_PATTERN_LENGTH = 500;
/** RE2 does at most text length × program size steps. */
const MAX_STEPS = 20_000_000;
/** About 20 ms of work. A list may contain a hundred such texts. */
const INLINE_STEPS = 100_000;

const pool = createThreadPool<RegexTask, RegexResult>({
  module: new URL('./thread', import.meta.url),
  threads: 2,
  timeoutMs: 15_000,
  maxHeapMb: 128,
  // All items of a list arrive together.
  maxWaiting: 1000,
});

/** The signal ends the wait for the result. */
export interface RegexContext {
  readonly signal: AbortSignal;
}

/** Returns whether the pattern matches anywhere in the text. Throws NodeError `invalid_regex` or `regex_too_costly`. */
export async function testRegex(pattern: string, text: string, ctx: RegexContext): Promise<boolean> {
  return (await match({ kind: 'test', pattern, text }, ctx)) === true;
}

export interface Replacement {
  readonly text: string;
  readonly pattern: string;
  /** `$1` inserts the first group's match. */
  readonly replacement: string;
}

/** Returns the text with every match replaced. Throws NodeError as `testRegex` does, and `text_too_long`. */
export async function replaceRegex(replacing: Replacement, ctx: RegexContext): Promise<string> {
  const result = await match({ kind: 'replace', ...replacing, maxLength: MAX_TEXT_LENGTH }, ctx);
  if (typeof result === 'object') requireShortLength(result.length);
  return String(result);
}

async function match(task: RegexTask, { signal }: RegexContext): Promise<RegexResult> {
  const { pattern, text } = task;
  if (pattern.length > MAX_PATTERN_LENGTH) {
    const message = `The pattern has ${pattern.length} characters. The maximum is ${MAX_PATTERN_LENGTH}.`;
    throw new NodeError('invalid_regex', message);
  }
  const regex = await compile(pattern);
  const steps = regex.programSize() * text.length;
  if (steps > MAX_STEPS) throw createTooCostlyError();
  if (steps <= INLINE_STEPS) return performRegexTask(regex, task);
  try {
    return await pool.run(task, { signal });
  } catch (err) {
    throw err instanceof TaskTooCostlyError ? createTooCostlyError(err) : err;
  }
}

function createTooCostlyError(cause?: unknown): NodeError {
  const message = 'The pattern is too complex for a text of this length. Shorten one of them.';
  return new NodeError('regex_too_costly', message, { cause });
}

async function compile(pattern: string): Promise<RE2JS> {
  const { RE2JS } = await import('re2js');
  try {
    return RE2JS.compile(pattern);
  } catch (err) {
    const message = `"${pattern}" is not a valid pattern. RE2 syntax has no look-around and no back-references.`;
    throw new NodeError('invalid_regex', message, { cause: err });
  }
}
