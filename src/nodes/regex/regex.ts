// Regular expressions that come with a graph: bounded in size and steps, and matched in a thread where they are costly.
import type { RE2JS } from 're2js';
import { createThreadPool, TaskTooCostly } from '../../lib/threads/pool.ts';
import { NodeError } from '../define.ts';
import { assertTextLength, MAX_TEXT_LENGTH } from '../limits.ts';
import { performRegexTask, type RegexAnswer, type RegexTask } from './task.ts';

const MAX_PATTERN_LENGTH = 500;
/** RE2's work is at most text length × program size. */
const MAX_STEPS = 20_000_000;
/** About 20 ms of work; a list may bring a hundred of them. */
const INLINE_STEPS = 100_000;

const pool = createThreadPool<RegexTask, RegexAnswer>({
  module: new URL('./thread', import.meta.url),
  threads: 2,
  timeoutMs: 15_000,
  maxHeapMb: 128,
  // The items of a list come all at once.
  maxWaiting: 1000,
});

/** Whose run the expression belongs to, and until when its result is wanted. */
export interface RegexContext {
  readonly account: string;
  readonly signal: AbortSignal;
}

/** Whether the pattern matches somewhere in the text. NodeError `invalid_regex` or `regex_too_costly`. */
export async function testRegex(pattern: string, text: string, ctx: RegexContext): Promise<boolean> {
  return (await match({ kind: 'test', pattern, text }, ctx)) === true;
}

export interface Replacing {
  readonly text: string;
  readonly pattern: string;
  /** `$1` stands for what the first group matched. */
  readonly replacement: string;
}

/** The text with every match replaced. NodeError as for `testRegex`, and `text_too_long`. */
export async function replaceRegex(replacing: Replacing, ctx: RegexContext): Promise<string> {
  const answer = await match({ kind: 'replace', ...replacing, maxLength: MAX_TEXT_LENGTH }, ctx);
  if (typeof answer === 'object') assertTextLength(answer.length);
  return String(answer);
}

async function match(task: RegexTask, { account, signal }: RegexContext): Promise<RegexAnswer> {
  const { pattern, text } = task;
  if (pattern.length > MAX_PATTERN_LENGTH) {
    const message = `The pattern has ${pattern.length} characters; at most ${MAX_PATTERN_LENGTH} are allowed.`;
    throw new NodeError('invalid_regex', message);
  }
  const regex = await compile(pattern);
  const steps = regex.programSize() * text.length;
  if (steps > MAX_STEPS) throw tooCostly();
  if (steps <= INLINE_STEPS) return performRegexTask(regex, task);
  try {
    return await pool.run(task, { account, signal });
  } catch (err) {
    throw err instanceof TaskTooCostly ? tooCostly(err) : err;
  }
}

function tooCostly(cause?: unknown): NodeError {
  const message = 'The pattern is too large for a text of this length; shorten one of them.';
  return new NodeError('regex_too_costly', message, { cause });
}

async function compile(pattern: string): Promise<RE2JS> {
  const { RE2JS } = await import('re2js');
  try {
    return RE2JS.compile(pattern);
  } catch (err) {
    const message = `"${pattern}" is not a usable pattern (RE2 syntax: no look-around, no back-references).`;
    throw new NodeError('invalid_regex', message, { cause: err });
  }
}
