// Decides when automations pause by themselves, and says so. Schedules and triggers share the reasons.
import type { AppError, ErrorCode } from '../lib/errors.ts';
import { userWorkspace } from '../services/accounts/access.ts';
import type { PauseCode } from '../store/automation/schedules.ts';
import type { Tx } from '../store/db.ts';
import { insertNotice } from '../store/notices.ts';
import { findWorkspaceOf } from '../store/workflows/workflows.ts';

/** Why an automation paused by itself, and the sentence that tells people what to do. */
const PAUSE_REASONS = {
  access_lost:
    'The workflow was deleted, or the user who created the automation can no longer run it. Restore their access, or create it again as another user.',
  credits:
    'A run was refused because of credits or a limit of them. Add credits or raise the limit, then activate it again.',
  unpublished:
    'It runs the published version, but the workflow is no longer published. Publish it, then activate it again.',
  failures: 'Five runs in a row failed. Fix the workflow or the inputs, then activate it again.',
} as const satisfies Record<PauseCode, string>;
export type PauseReason = PauseCode;

/** It pauses after this many failed or refused runs in a row. Runs by hand and backfills do not count. */
export const MAX_FAILURES = 5;

/** Returns the failures in a row after a run that ended with this status. A cancelled run changes nothing. */
export function countFailure(before: number, status: string): number {
  if (status === 'COMPLETED') return 0;
  return status === 'CANCELLED' ? before : before + 1;
}

const REASON_OF_REFUSAL: Partial<Record<ErrorCode, PauseReason>> = {
  forbidden: 'access_lost',
  not_found: 'access_lost',
  not_published: 'unpublished',
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
}

const NOTICES = { schedule_paused: 'Schedule', trigger_paused: 'Trigger' } as const;

/** Tells the creator and the owners of the workspace. Call it in the transaction that pauses the automation. */
export async function notifyPause(
  tx: Tx,
  kind: keyof typeof NOTICES,
  { id, name, workflow_id, user_id }: PausedAutomation,
  reason: PauseReason,
): Promise<void> {
  await insertNotice(tx, {
    kind,
    cause: id,
    workspace: (await findWorkspaceOf(tx, workflow_id)) ?? userWorkspace(user_id),
    userId: user_id,
    title: `${NOTICES[kind]} paused: ${name}`,
    text: PAUSE_REASONS[reason],
    link: '/automations',
  });
}
