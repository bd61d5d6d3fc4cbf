// Decides when the service pauses a schedule or trigger, and notifies its users.
import type { AppError, ErrorCode } from '../lib/errors.ts';
import { getPersonalWorkspaceId } from '../services/accounts/access.ts';
import type { Tx } from '../store/db.ts';
import { insertNotice } from '../store/notices.ts';
import { findWorkspaceOf } from '../store/workflows/workflows.ts';
import type { PauseReason } from './store.ts';

/** After this many failed or refused runs in a row, an automation is paused. Manual runs and backfills do not count. */
export const MAX_FAILURES = 5;

/** What happened and what to do, by reason. */
const PAUSE_TEXTS: Readonly<Record<PauseReason, string>> = {
  access_lost:
    'The workflow was deleted, or the user who created the automation can no longer run it. Restore their access, or create it again as another user.',
  credits:
    'A run was refused because of credits, a budget, a monthly limit, or the daily limit of a provider key. Add credits or raise the limit, then activate it again.',
  unpublished:
    'It runs the published version, but the workflow is no longer published. Publish it, then activate it again.',
  failures: `${MAX_FAILURES} runs in a row failed. Fix the workflow or the inputs, then activate it again.`,
};

/** Returns the number of failures in a row, including a run that ended with this status. A canceled run does not count. */
export function updateFailureCount(previousCount: number, status: string): number {
  if (status === 'COMPLETED') return 0;
  return status === 'CANCELLED' ? previousCount : previousCount + 1;
}

const PAUSE_REASON_BY_CODE: Partial<Record<ErrorCode, PauseReason>> = {
  forbidden: 'access_lost',
  not_found: 'access_lost',
  not_published: 'unpublished',
  insufficient_credits: 'credits',
  max_credits_exceeded: 'credits',
  daily_budget_exceeded: 'credits',
  member_limit_exceeded: 'credits',
  key_limit_exceeded: 'credits',
  daily_limit_exceeded: 'credits',
};

/** Returns the reason to pause immediately after this refusal, or undefined if the refusal only counts as a failure. */
export const findPauseReason = ({ code }: AppError): PauseReason | undefined => PAUSE_REASON_BY_CODE[code];

export interface PausedAutomation {
  readonly id: string;
  readonly name: string;
  readonly workflow_id: string;
  readonly user_id: number;
}

const NOUNS = { schedule_paused: 'Schedule', trigger_paused: 'Trigger' } as const;

/** Notifies the creator and the owners of the workspace, in the transaction that pauses the automation. */
export async function notifyPause(
  tx: Tx,
  kind: keyof typeof NOUNS,
  { id, name, workflow_id, user_id }: PausedAutomation,
  reason: PauseReason,
): Promise<void> {
  await insertNotice(tx, {
    kind,
    cause: id,
    workspace: (await findWorkspaceOf(tx, workflow_id)) ?? getPersonalWorkspaceId(user_id),
    userId: user_id,
    title: `${NOUNS[kind]} paused: ${name}`,
    text: PAUSE_TEXTS[reason],
    link: '/automations',
  });
}
