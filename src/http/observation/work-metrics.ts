// Gauges of the work that there is, read from the database at each scrape. All processes of an installation report the same.
import { Gauge, type Registry, type RegistryContentType } from 'prom-client';
import type { RunDeps } from '../../runs/deps.ts';
import { countWork, type Workload } from '../../services/workload.ts';

interface GaugeRow {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  /** The values of its labels, and its own. */
  readonly read: (work: Workload) => readonly (readonly [labels: readonly string[], value: number])[];
}

/** Tasks that somebody waits for; the others are sweeps. */
const WAITED_FOR = ['run', 'deliver', 'render'];

const GAUGES: readonly GaugeRow[] = [
  {
    name: 'graphwright_runs',
    help: 'Runs by state: queued (no worker has them), running, waiting (for a call at a provider), parked (for a run of their workspace to end)',
    labels: ['state'],
    read: ({ runs }) => Object.entries(runs).map(([state, count]) => [[state], count]),
  },
  {
    name: 'graphwright_queue_jobs',
    help: 'Jobs of the queue by task and state; ready ones wait for a worker',
    labels: ['task', 'state'],
    read: ({ jobs }) => jobs.map(({ task, state, count }) => [[task, state], count]),
  },
  {
    name: 'graphwright_queue_oldest_ready_seconds',
    help: 'How long the job that is ready for longest waits for a worker, by task; 0: none is ready',
    labels: ['task'],
    read: ({ jobs }) =>
      WAITED_FOR.map(task => {
        const ready = jobs.find(job => job.task === task && job.state === 'ready');
        return [[task], Math.max(0, ready?.oldest_seconds ?? 0)];
      }),
  },
  {
    name: 'graphwright_provider_calls',
    help: 'Calls at providers: working, or queued for room there',
    labels: ['provider', 'state'],
    read: ({ calls }) => calls.map(({ provider, state, count }) => [[provider, state], count]),
  },
  {
    name: 'graphwright_provider_oldest_call_seconds',
    help: 'How long the oldest call at a provider works, or is queued',
    labels: ['provider', 'state'],
    read: ({ calls }) =>
      calls.map(({ provider, state, oldest_seconds }) => [[provider, state], oldest_seconds]),
  },
  {
    name: 'graphwright_credits_reserved',
    help: 'Credits set aside for runs under way, of all workspaces',
    labels: [],
    read: ({ reserved }) => [[[], reserved]],
  },
];

/** Returns what reads them anew. What the database does not answer in time has no value then. */
export function registerWork(deps: RunDeps, registers: Registry<RegistryContentType>[]): () => Promise<void> {
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
