// Creates hosts for provider calls in tests, with the real guarded client and a list of the stored tasks.
import { setTimeout as sleep } from 'node:timers/promises';
import { createGuardedFetch } from '../../../src/lib/fetch.ts';
import { pollTask, type TaskProvider } from '../../../src/providers/poll-task.ts';
import {
  DEFAULT_PACE,
  type Pace,
  type Provider,
  type ProviderTask,
  TaskInProgressError,
} from '../../../src/providers/provider.ts';
import { type CallHost, type DownloadedOutput, runCall } from '../../../src/providers/run-call.ts';
import { redactKeys } from '../../../src/providers/send.ts';

/** A port on which nothing listens. */
export const UNREACHABLE_URL = 'http://127.0.0.1:1';

/** The pace of calls with short waits. */
export const FAST_PACE: Pace = {
  ...DEFAULT_PACE,
  firstMs: 2,
  maxMs: 20,
  retryForMs: 3_000,
  deadlineMs: 20_000,
};

export interface TestHost extends CallHost {
  readonly storedTasks: readonly ProviderTask[];
  close(): Promise<void>;
}

export interface HostOptions {
  readonly stored?: ProviderTask;
  readonly signal?: AbortSignal;
  /** The API key, which is redacted in responses. */
  readonly key?: string;
  /** Called with each task before it is stored. */
  readonly onSave?: (task: ProviderTask) => void;
}

/** Creates a host that can connect only to this URL, as if the operator had configured it. */
export function makeHost(url: string, { stored, signal, key = '', onSave }: HostOptions = {}): TestHost {
  const client = createGuardedFetch({ allowPrivate: false, trustedUrls: [url, UNREACHABLE_URL] });
  const storedTasks: ProviderTask[] = [];
  return {
    fetch: redactKeys((address, init) => client.fetch(address, init), { baseUrl: url, key }),
    signal: signal ?? new AbortController().signal,
    task: {
      stored,
      save: async task => {
        onSave?.(task);
        storedTasks.push(task);
      },
    },
    progress: () => undefined,
    storedTasks,
    close: () => client.close(),
  };
}

/** Makes the call like a run, which suspends after the submission and resumes when the task has ended. */
export async function runToEnd<Call>(
  provider: Provider<Call>,
  call: Call,
  host: CallHost,
): Promise<DownloadedOutput> {
  for (let task = host.task; ; ) {
    try {
      return await runCall(provider, call, { ...host, task });
    } catch (err) {
      if (!(err instanceof TaskInProgressError)) throw err;
      await pollUntilEnded(provider, err.task, host);
      task = { ...task, stored: err.task, isWoken: true };
    }
  }
}

/** Polls the task until it ends or the deadline passes. Cancels the task if the run was cancelled or timed out. */
async function pollUntilEnded<Call>(
  provider: Provider<Call>,
  task: ProviderTask,
  host: CallHost,
): Promise<void> {
  const tasks = provider as unknown as TaskProvider;
  const handle = { id: task.id ?? '', ...(task.state === undefined ? {} : { state: task.state }) };
  while (Date.now() < (task.deadlineAtMs ?? 0)) {
    if (host.signal.aborted) {
      if (STOP_REASONS.has(host.signal.reason))
        await pollTask(tasks, { ...handle, isCancelled: true }, host.fetch, AbortSignal.timeout(5000));
      throw host.signal.reason;
    }
    const result = await pollTask(
      tasks,
      { ...handle, isCancelled: false },
      host.fetch,
      AbortSignal.timeout(5000),
    );
    if (result.kind === 'ended') return;
    if (result.kind === 'running' && result.fraction !== undefined) host.progress(result.fraction);
    await sleep(3);
  }
}

const STOP_REASONS: ReadonlySet<unknown> = new Set(['cancelled', 'timeout']);
