// Registers gauges of pending work, read from the database at each scrape. All processes of an instance report the same
// values.
import { Gauge, type Registry, type RegistryContentType } from 'prom-client';
import type { RunDeps } from '../../runs/deps.ts';
import { AWAITED_TASKS, countWork, type WorkCounts } from '../../services/work-counts.ts';

interface GaugeRow {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  /** Returns label values with the value of the gauge. */
  readonly read: (work: WorkCounts) => readonly (readonly [labels: readonly string[], value: number])[];
}

const GAUGES: readonly GaugeRow[] = [
  {
    name: 'graphwright_runs',
    help: 'Runs by state: queued (for a worker), running, waiting (for a provider task), parked (until another run of their workspace ends)',
    labels: ['state'],
    read: ({ runs }) => Object.entries(runs).map(([state, count]) => [[state], count]),
  },
  {
    name: 'graphwright_queue_jobs',
    help: 'Jobs by task and state; ready jobs wait for a worker',
    labels: ['task', 'state'],
    read: ({ jobs }) => jobs.map(({ task, state, count }) => [[task, state], count]),
  },
  {
    name: 'graphwright_queue_oldest_ready_seconds',
    help: 'How long the oldest ready job has been waiting for a worker, by task; 0 if none is ready',
    labels: ['task'],
    read: ({ jobs }) =>
      AWAITED_TASKS.map(task => {
        const ready = jobs.find(job => job.task === task && job.state === 'ready');
        return [[task], Math.max(0, ready?.oldest_seconds ?? 0)];
      }),
  },
  {
    name: 'graphwright_mails',
    help: 'Mails by state: waiting, and failed and unconfirmed in the last day',
    labels: ['state'],
    read: ({ mails }) => mails.map(({ state, count }) => [[state], count]),
  },
  {
    name: 'graphwright_provider_calls',
    help: 'Provider tasks by state: working, or queued for capacity',
    labels: ['provider', 'state'],
    read: ({ calls }) => calls.map(({ provider, state, count }) => [[provider, state], count]),
  },
  {
    name: 'graphwright_provider_oldest_call_seconds',
    help: 'How long the oldest provider task has been working or queued',
    labels: ['provider', 'state'],
    read: ({ calls }) =>
      calls.map(({ provider, state, oldest_seconds }) => [[provider, state], oldest_seconds]),
  },
  {
    name: 'graphwright_credits_reserved',
    help: 'Credits reserved for running runs in all workspaces',
    labels: [],
    read: ({ reserved }) => [[[], reserved]],
  },
  {
    name: 'graphwright_credits_spent_this_month',
    help: 'Credits charged since the start of the month (UTC), by provider and class of the model',
    labels: ['provider', 'model_class'],
    read: ({ spent }) => spent.map(({ provider, modelClass, credits }) => [[provider, modelClass], credits]),
  },
];

/** Returns a function that refreshes the gauges. Gauges have no values if the database does not respond in time. */
export function registerWorkGauges(
  deps: RunDeps,
  registers: Registry<RegistryContentType>[],
): () => Promise<void> {
  const gauges = GAUGES.map(({ name, help, labels, read }) => ({
    gauge: new Gauge({ name, help, labelNames: [...labels], registers }),
    isSingle: labels.length === 0,
    read,
  }));
  return async () => {
    const work = await countWork(deps);
    for (const { gauge, isSingle, read } of gauges) {
      if (isSingle) gauge.remove();
      else gauge.reset();
      if (work === undefined) continue;
      for (const [labels, value] of read(work)) gauge.labels(...labels).set(value);
    }
  };
}
