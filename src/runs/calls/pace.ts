// When to look for the end of a call at its provider: by how long the model usually takes, else by how old the call is.

export interface PollTiming {
  readonly submittedAtMs: number;
  readonly deadlineAtMs: number;
  readonly nowMs: number;
  /** How long calls of the model usually take. */
  readonly usualMs: number | undefined;
  /** Whether the provider was asked to report the end. */
  readonly hasHook: boolean;
  /** What the provider asked for. */
  readonly afterMs: number;
}

const MIN_DELAY_MS = 1000;
const MAX_DELAY_MS = 15_000;
/** While the end is far, as far as is known. */
const MAX_PAUSE_MS = 60_000;
/** Of a call of unknown length, a share of its age between two looks. */
const SHARE_OF_AGE = 0.2;
/** Of the usual length: where the first look is, from where on the end is close, and the steps from there on. */
const FIRST_SHARE = 0.4;
const CLOSE_SHARE = 0.8;
const STEP_SHARE = 0.1;
/** A provider that reports the end by itself is asked that much more rarely. */
const HOOK_FACTOR = 3;

/** Of a call that was submitted just now, or asked for so often without a result. */
export function firstPollAt(submittedAtMs: number, asks: number, usualMs: number | undefined): number {
  const first = usualMs === undefined ? MIN_DELAY_MS : Math.max(MIN_DELAY_MS, usualMs * FIRST_SHARE);
  return submittedAtMs + Math.min(first, MAX_PAUSE_MS) + asks * MIN_DELAY_MS;
}

/** The next look after one that found the work going on. Never later than the call's deadline. */
export function nextPollAt({
  submittedAtMs,
  deadlineAtMs,
  nowMs,
  usualMs,
  hasHook,
  afterMs,
}: PollTiming): number {
  const ageMs = Math.max(0, nowMs - submittedAtMs);
  const delayMs = delayAt(ageMs, usualMs) * (hasHook ? HOOK_FACTOR : 1);
  const atMs = nowMs + Math.max(delayMs, afterMs);
  return Math.max(nowMs + MIN_DELAY_MS, Math.min(atMs, deadlineAtMs));
}

function delayAt(ageMs: number, usualMs: number | undefined): number {
  const byAge = bounded(ageMs * SHARE_OF_AGE);
  // Twice as old as usual: nothing is known of it any more.
  if (usualMs === undefined || ageMs >= 2 * usualMs) return byAge;
  const closeMs = Math.min(CLOSE_SHARE * usualMs - ageMs, MAX_PAUSE_MS);
  return Math.max(closeMs, bounded(STEP_SHARE * usualMs));
}

function bounded(ms: number): number {
  return Math.min(Math.max(ms, MIN_DELAY_MS), MAX_DELAY_MS);
}

/** How much of a call is over, as far as that can be guessed from how long its model usually takes. */
export function guessProgress(
  submittedAtMs: number,
  usualMs: number | undefined,
  nowMs: number,
): number | undefined {
  if (usualMs === undefined || usualMs <= 0) return undefined;
  // The rest is said by its end alone.
  return Math.min(0.95, Math.max(0, nowMs - submittedAtMs) / usualMs);
}
