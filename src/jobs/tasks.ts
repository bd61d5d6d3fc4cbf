// Defines the tasks of the job queue, each with its pool, its function and its daily time if it has one.
import { reportFailures } from '../apps/report-failures.ts';
import { sweepAppUploads } from '../apps/uploads.ts';
import { advanceAutomation } from '../automation/automations.ts';
import { advanceBatch } from '../automation/batches/advance-batch.ts';
import { advanceApproval } from '../runs/approvals/notify-assignees.ts';
import type { RunDeps } from '../runs/deps.ts';
import { claimFromQueue } from '../runs/execute/dispatch.ts';
import type { WorkerSlots } from '../runs/slots/worker-slots.ts';
import { sweepRuns } from '../runs/sweep-runs.ts';
import { notifyInvitee } from '../services/accounts/permissions.ts';
import { sweepCredentials } from '../services/credentials/credentials.ts';
import type { JobPool } from '../services/deps.ts';
import { type MailSender, sweepMails } from '../services/mails/send-mail.ts';
import { sweepMedia } from '../services/media/sweep-media.ts';
import { sweepOutputs } from '../services/media/sweep-outputs.ts';
import { sweepConnections } from '../services/oauth/sweep-connections.ts';
import { runRender } from '../services/renders/run-render.ts';
import { mailNewPassword } from '../services/sessions/forgotten-password.ts';
import type { Deliverer } from '../services/webhooks/deliver-webhook.ts';

export interface TaskContext {
  readonly deps: RunDeps;
  readonly slots: WorkerSlots;
  readonly deliverer: Deliverer;
  readonly mailSender: MailSender;
  /** Fires when the process must stop. */
  readonly signal: AbortSignal;
  /** Resolves once this worker is registered. No job may start earlier. */
  readonly whenRegistered: Promise<void>;
}

export interface Task {
  /** Separate pools keep runs, background jobs and renders from waiting for each other. */
  readonly pool: JobPool;
  readonly perform: (ctx: TaskContext, id: string) => Promise<void>;
  /** The time of day (UTC) of a task without an id. All workers together perform it once a day. */
  readonly daily?: { readonly hour: number; readonly minute: number };
}

/** The tasks by their names in the queue's table. Do not rename them: queued jobs refer to these names. */
export const TASKS: Readonly<Record<string, Task>> = {
  // Ends once the run has started, because the lease then protects the run.
  run: { pool: 'runs', perform: ({ deps, slots }, id) => claimFromQueue(deps, slots, id) },
  deliver: { pool: 'background', perform: ({ deliverer, signal }, id) => deliverer.deliver(id, signal) },
  automation: { pool: 'background', perform: ({ deps }, id) => advanceAutomation(deps, id) },
  // Queued when a run of an app failed.
  app: { pool: 'background', perform: ({ deps }, id) => reportFailures(deps, id) },
  // Queued when a workflow was shared with a person.
  share: { pool: 'background', perform: ({ deps }, id) => notifyInvitee(deps, id) },
  // Queued when somebody has forgotten their password.
  forgotten_password: { pool: 'background', perform: ({ deps }, id) => mailNewPassword(deps, id) },
  mail: { pool: 'background', perform: ({ mailSender, signal }, id) => mailSender.send(id, signal) },
  // Queued when a node begins to wait for a decision, and for each reminder.
  approval: { pool: 'background', perform: ({ deps }, id) => advanceApproval(deps, id) },
  batch: { pool: 'background', perform: ({ deps }, id) => advanceBatch(deps, id) },
  render: { pool: 'renders', perform: ({ deps, signal }, id) => runRender(deps, id, signal) },
  sweep_runs: {
    pool: 'background',
    daily: { hour: 3, minute: 47 },
    perform: ({ deps, signal }) => sweepRuns(deps, signal),
  },
  sweep_connections: {
    pool: 'background',
    daily: { hour: 4, minute: 7 },
    perform: ({ deps, signal }) => sweepConnections(deps, signal),
  },
  sweep_credentials: {
    pool: 'background',
    daily: { hour: 4, minute: 12 },
    perform: ({ deps }) => sweepCredentials(deps),
  },
  sweep_mails: {
    pool: 'background',
    daily: { hour: 4, minute: 2 },
    perform: ({ deps }) => sweepMails(deps),
  },
  sweep_app_uploads: {
    pool: 'background',
    daily: { hour: 3, minute: 7 },
    perform: ({ deps, signal }) => sweepAppUploads(deps, signal),
  },
  sweep_media: {
    pool: 'background',
    daily: { hour: 3, minute: 17 },
    perform: ({ deps, signal }) => sweepMedia(deps, signal),
  },
  // Half an hour later than sweep_runs, so that outputs to which only deleted runs referred are usually deleted too.
  sweep_outputs: {
    pool: 'background',
    daily: { hour: 4, minute: 17 },
    perform: ({ deps, signal }) => sweepOutputs(deps, signal),
  },
};
