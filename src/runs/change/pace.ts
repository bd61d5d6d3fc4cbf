// Decides when to poll a provider for a call: by the model's usual duration if it is known, otherwise by the call's
// age.
import type { Timing } from '../../lib/timing.ts';

export type PollTiming = Pick<
  Timing,
  'firstCallPollMs' | 'minCallPollMs' | 'maxCallPollMs' | 'maxFarCallPollMs'
>;

export interface PolledCall {
  readonly submittedAtMs: number;
  readonly deadlineAtMs: number;
  readonly nowMs: number;
  /** The usual duration of the model's calls. */
  readonly usualMs: number | undefined;
  /** Whether the provider was asked to report the end with a callback. */
  readonly hasCallback: boolean;
  /** The minimum delay that the provider requested. */
  readonly minDelayMs: number;
}

/** For calls of unknown duration: the delay between polls as a share of the call's age. */
const SHARE_OF_AGE = 0.2;
/** The time of the first poll, as a share of the usual duration. */
const FIRST_POLL_SHARE = 0.4;
/** The time from which polls become frequent, as a share of the usual duration. */
const FREQUENT_FROM_SHARE = 0.8;
/** The delay between frequent polls, as a share of the usual duration. */
const FREQUENT_DELAY_SHARE = 0.1;
/** Calls with a callback are polled this many times less often. */
const CALLBACK_FACTOR = 3;

/** Returns the time of the first poll after a submission, or after `failedPolls` fetches that found no result. */
export function computeFirstPollMs(
  submittedAtMs: number,
  failedPolls: number,
  usualMs: number | undefined,
  { firstCallPollMs, maxFarCallPollMs }: PollTiming,
): number {
  const firstDelayMs =
    usualMs === undefined ? firstCallPollMs : Math.max(firstCallPollMs, usualMs * FIRST_POLL_SHARE);
  return submittedAtMs + Math.min(firstDelayMs, maxFarCallPollMs) + failedPolls * firstCallPollMs;
}

/** Returns the time of the next poll after a poll that found the call still running. */
export function computeNextPollMs(
  { submittedAtMs, deadlineAtMs, nowMs, usualMs, hasCallback, minDelayMs }: PolledCall,
  timing: PollTiming,
): number {
  const ageMs = Math.max(0, nowMs - submittedAtMs);
  const delayMs = computeDelay(ageMs, usualMs, timing) * (hasCallback ? CALLBACK_FACTOR : 1);
  const atMs = nowMs + Math.max(delayMs, minDelayMs);
  return Math.max(nowMs + timing.minCallPollMs, Math.min(atMs, deadlineAtMs));
}

function computeDelay(ageMs: number, usualMs: number | undefined, timing: PollTiming): number {
  const byAge = clampDelay(ageMs * SHARE_OF_AGE, timing);
  // At twice the usual duration, the estimate no longer applies.
  if (usualMs === undefined || ageMs >= 2 * usualMs) return byAge;
  const untilFrequentMs = Math.min(FREQUENT_FROM_SHARE * usualMs - ageMs, timing.maxFarCallPollMs);
  return Math.max(untilFrequentMs, clampDelay(FREQUENT_DELAY_SHARE * usualMs, timing));
}

function clampDelay(ms: number, { minCallPollMs, maxCallPollMs }: PollTiming): number {
  return Math.min(Math.max(ms, minCallPollMs), maxCallPollMs);
}

/** Estimates the progress of a call from the usual duration of its model. */
export function estimateProgress(
  submittedAtMs: number,
  usualMs: number | undefined,
  nowMs: number,
): number | undefined {
  if (usualMs === undefined || usualMs <= 0) return undefined;
  // 100% is reported only when the call has ended.
  return Math.min(0.95, Math.max(0, nowMs - submittedAtMs) / usualMs);
}
