// Hosts provider calls in tests: the real guarded HTTP client, and a record that tests can read.
import { setTimeout as sleep } from 'node:timers/promises';
import { createGuardedFetch } from '../../../src/lib/fetch.ts';
import { peek, type Watched } from '../../../src/providers/peek.ts';
import {
  CallUnderWay,
  DEFAULT_PACE,
  type Pace,
  type Provider,
  type ProviderTask,
} from '../../../src/providers/provider.ts';
import { type Delivery, type JobHost, runJob } from '../../../src/providers/run-job.ts';

/** A port on which nothing listens. */
export const UNREACHABLE_URL = 'http://127.0.0.1:1';

/** Keeps every wait short for tests. */
export const FAST_PACE: Pace = {
  ...DEFAULT_PACE,
  firstMs: 2,
  maxMs: 20,
  retryForMs: 3_000,
  deadlineMs: 20_000,
};

export interface TestHost extends JobHost {
  readonly kept: readonly ProviderTask[];
  close(): Promise<void>;
}

export interface HostOptions {
  readonly stored?: ProviderTask;
  readonly signal?: AbortSignal;
  /** Called with each record before it counts as saved. */
  readonly onKeep?: (job: ProviderTask) => void;
}

/** Allows requests to the double only: its address counts as configured by the operator. */
export function makeHost(url: string, { stored, signal, onKeep }: HostOptions = {}): TestHost {
  const client = createGuardedFetch({ allowPrivate: false, trustedOrigins: [url, UNREACHABLE_URL] });
  const kept: ProviderTask[] = [];
  return {
    fetch: (address, init) => client.fetch(address, init),
    signal: signal ?? new AbortController().signal,
    job: {
      stored,
      keep: async job => {
        onKeep?.(job);
        kept.push(job);
      },
    },
    progress: () => undefined,
    kept,
    close: () => client.close(),
  };
}

/** Runs the call as the service does: submits it, then resumes it once a poll reports that it finished. */
export async function runToEnd<Call>(provider: Provider<Call>, call: Call, host: JobHost): Promise<Delivery> {
  for (let job = host.job; ; ) {
    try {
      return await runJob(provider, call, { ...host, job });
    } catch (err) {
      if (!(err instanceof CallUnderWay)) throw err;
      await untilEnded(provider, err.job, host);
      job = { ...job, stored: err.job, hasEnded: true };
    }
  }
}

/** Polls until the task finishes or times out. Asks the provider to cancel if the run ends. */
async function untilEnded<Call>(provider: Provider<Call>, job: ProviderTask, host: JobHost): Promise<void> {
  const watched = provider as unknown as Watched;
  const handle = { id: job.id ?? '', ...(job.state === undefined ? {} : { state: job.state }) };
  while (Date.now() < (job.deadlineAtMs ?? 0)) {
    if (host.signal.aborted) {
      if (ENDINGS.has(host.signal.reason))
        await peek(watched, { ...handle, isCancelled: true }, host.fetch, AbortSignal.timeout(5000));
      throw host.signal.reason;
    }
    const seen = await peek(
      watched,
      { ...handle, isCancelled: false },
      host.fetch,
      AbortSignal.timeout(5000),
    );
    if (seen.kind === 'ended') return;
    if (seen.kind === 'running' && seen.fraction !== undefined) host.progress(seen.fraction);
    await sleep(3);
  }
}

const ENDINGS: ReadonlySet<unknown> = new Set(['cancelled', 'timeout']);
