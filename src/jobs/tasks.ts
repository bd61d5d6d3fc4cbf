// Defines the tasks of the job queue. Each row maps a task to the function that runs it.

import { reportFailures } from '../apps/report-failures.ts';
import { sweepAppUploads } from '../apps/uploads.ts';
import { advanceAutomation } from '../automation/automations.ts';
import { advanceBatch } from '../automation/batches/advance-batch.ts';
import type { RunDeps } from '../runs/deps.ts';
import { claimFromQueue } from '../runs/dispatch.ts';
import { sweepRuns } from '../runs/sweep-runs.ts';
import type { WorkerSlots } from '../runs/worker-slots.ts';
import { sweepConnections } from '../services/connections/sweep-connections.ts';
import { sweepCredentials } from '../services/credentials/open-credentials.ts';
import type { JobPool } from '../services/deps.ts';
import { sweepMedia } from '../services/media/sweep-media.ts';
import { sweepOutputs } from '../services/media/sweep-outputs.ts';
import { runRender } from '../services/renders/run-render.ts';
import type { Deliverer } from '../services/webhooks/deliver-webhook.ts';

export interface TaskContext {
  readonly deps: RunDeps;
  readonly slots: WorkerSlots;
  readonly deliverer: Deliverer;
  /** Fires when the process must stop. */
  readonly signal: AbortSignal;
  /** Resolves once this worker is registered. No job may start earlier. */
  readonly whenRegistered: Promise<void>;
}

/** The worker pool that runs a task. Separate pools keep runs, deliveries and renders from waiting for each other. */
export type Pool = JobPool;

export interface Task {
  readonly pool: Pool;
  readonly work: (ctx: TaskContext, id: string) => Promise<void>;
  /** The time of day (UTC) at which the task is queued, without an id, once for all workers. */
  readonly daily?: { readonly hour: number; readonly minute: number };
}

export const TASKS: Readonly<Record<string, Task>> = {
  run: { pool: 'runs', work: ({ deps, slots }, id) => claimFromQueue(deps, slots, id) },
  deliver: { pool: 'deliveries', work: ({ deliverer, signal }, id) => deliverer.deliver(id, signal) },
  automation: { pool: 'deliveries', work: ({ deps }, id) => advanceAutomation(deps, id) },
  app: { pool: 'deliveries', work: ({ deps }, id) => reportFailures(deps, id) },
  batch: { pool: 'deliveries', work: ({ deps }, id) => advanceBatch(deps, id) },
  render: { pool: 'renders', work: ({ deps, signal }, id) => runRender(deps, id, signal) },
  sweep_runs: {
    pool: 'deliveries',
    daily: { hour: 3, minute: 47 },
    work: ({ deps, signal }) => sweepRuns(deps, signal),
  },
  sweep_connections: {
    pool: 'deliveries',
    daily: { hour: 4, minute: 7 },
    work: ({ deps, signal }) => sweepConnections(deps, signal),
  },
  sweep_credentials: {
    pool: 'deliveries',
    daily: { hour: 4, minute: 12 },
    work: ({ deps }) => sweepCredentials(deps),
  },
  sweep_app_uploads: {
    pool: 'deliveries',
    daily: { hour: 3, minute: 7 },
    work: ({ deps, signal }) => sweepAppUploads(deps, signal),
  },
  sweep_media: {
    pool: 'deliveries',
    daily: { hour: 3, minute: 17 },
    work: ({ deps, signal }) => sweepMedia(deps, signal),
  },
  // Runs after sweep_runs, which deletes the references to outputs.
  sweep_outputs: {
    pool: 'deliveries',
    daily: { hour: 4, minute: 17 },
    work: ({ deps, signal }) => sweepOutputs(deps, signal),
  },
};
