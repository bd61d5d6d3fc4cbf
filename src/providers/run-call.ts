// Runs a provider call from submission to downloaded files. The record is stored before any wait, so that a worker that
// takes over the run continues the same task instead of paying twice.
import { randomBytes, randomUUID } from 'node:crypto';
import { inSpan } from '../lib/span.ts';
import type { ProviderCredential } from './credential.ts';
import type { ProviderName } from './names.ts';
import type {
  FileSource,
  Handle,
  Output,
  Pace,
  Protocol,
  Provider,
  ProviderRequest,
  ProviderTask,
  SlotOutcome,
  Submission,
} from './provider.ts';
import { getLimiterName, TaskInProgressError } from './provider.ts';
import { ProviderError } from './provider-error.ts';
import { runProtocol, type Send, type Signals } from './send.ts';

/** The parts of a credential that a call needs. */
export type CallCredential = Pick<ProviderCredential, 'id' | 'valueId' | 'sharesDurations'>;

/** The services that the run provides to a call. */
export interface CallHost {
  readonly fetch: Send;
  /** Absent if the call uses a credential of the environment. */
  readonly credential?: CallCredential | undefined;
  /**
   * The abort reason is `cancelled` or `timeout` if the run ends. For any other reason, another worker continues the
   * call.
   */
  readonly signal: AbortSignal;
  readonly task: {
    /** The record that an earlier worker stored. */
    readonly stored?: ProviderTask | undefined;
    /** Stores the record. Rejects if this worker no longer owns the run. */
    save(task: ProviderTask): Promise<void>;
    /** Whether the event that the call waited for has occurred: the work ended, or a slot was granted. */
    readonly isWoken?: boolean | undefined;
    /**
     * Marks the call as billable once it must be charged even if its run ends: the provider has finished the work, or
     * may have started it and cannot cancel it.
     */
    markBillable?(): void;
    /** Absent if calls are not limited. */
    readonly slots?: ProviderSlots | undefined;
  };
  progress(fraction: number): void;
  /** Returns the webhook URL for a call, or undefined if the provider cannot reach this service. */
  callbackUrl?(provider: ProviderName, token: string): string | undefined;
}

/** The provider and the stored credential of a task. */
export type TaskCredential = Pick<ProviderTask, 'provider' | 'credentialId' | 'valueId'>;

/** The slots and usual durations of providers, shared by all processes. */
export interface ProviderSlots {
  /** Claims a slot for the call. If the call has to wait, its record is stored with its run. */
  claim(record: ProviderTask): Promise<SlotOutcome>;
  /**
   * Records that the provider rejected a submission by its rate limit, and how many calls this process had in progress.
   */
  onRateLimited(task: TaskCredential, callsInProcess: number): void;
  onSubmitted(task: TaskCredential): void;
  getUsualMs(provider: ProviderName, model: string): number | undefined;
}

/** The output of a call after its files were downloaded. */
export interface DownloadedOutput extends Omit<Output, 'files'> {
  readonly files: readonly Buffer[];
}

/** The calls of this process in progress, by limiter. */
const activeCallCounts = new Map<string, number>();
const END_REASONS: ReadonlySet<unknown> = new Set(['cancelled', 'timeout']);
const CANCEL_TIMEOUT_MS = 10_000;
const LAST_RESPONSE_MS = 3000;
const MAX_FILES = 16;
const MAX_FILE_BYTES = 268_435_456;
/** All files of a call are in memory until they are stored. */
const MAX_TOTAL_BYTES = 1_073_741_824;
const DOWNLOAD_TIMEOUT_MS = 300_000;

/**
 * Makes the call, or continues the one in `host.task.stored`. Throws ProviderError, the abort reason of the signal, or
 * TaskInProgressError if the work continues at the provider and the poller tracks it.
 */
export async function runCall<Call>(
  provider: Provider<Call>,
  call: Call,
  host: CallHost,
): Promise<DownloadedOutput> {
  const { name } = provider;
  return inSpan(`call ${name}`, toSpanOptions(provider, call, host), async () => {
    const limiter = getLimiterName(toTaskCredential(provider, host));
    activeCallCounts.set(limiter, countActive(limiter) + 1);
    try {
      const submission = await submitOrContinue(provider, call, host);
      const output =
        'output' in submission ? submission.output : await pollOnce(provider, call, submission.task, host);
      return { ...output, files: await downloadFiles(provider, output.files, host) };
    } finally {
      if (countActive(limiter) === 1) activeCallCounts.delete(limiter);
      else activeCallCounts.set(limiter, countActive(limiter) - 1);
    }
  });
}

/** Returns the options of the call's span. If the call was submitted earlier, the span starts at the submission. */
function toSpanOptions<Call>(
  provider: Provider<Call>,
  call: Call,
  { task: { stored: storedTask } }: CallHost,
) {
  return {
    ...(storedTask?.submittedAtMs === undefined ? {} : { startMs: storedTask.submittedAtMs }),
    attributes: {
      'graphwright.provider': provider.name,
      'graphwright.model': provider.getModel?.(call),
      'graphwright.call.asks': storedTask?.asks,
    },
    // Not a failure: the run is resumed when the work ends.
    isExpected: (err: unknown) => err instanceof TaskInProgressError,
  };
}

const countActive = (limiter: string): number => activeCallCounts.get(limiter) ?? 0;

function toTaskCredential(
  { name }: Pick<Provider<never>, 'name'>,
  { credential }: Pick<CallHost, 'credential'>,
): TaskCredential {
  if (credential === undefined || credential.valueId === null) return { provider: name };
  return { provider: name, credentialId: credential.id, valueId: credential.valueId };
}

/** Submits the call, or returns the submission of an earlier execution. */
function submitOrContinue<Call>(
  provider: Provider<Call>,
  call: Call,
  host: CallHost,
): Promise<StoredSubmission> | StoredSubmission {
  const { stored: storedTask } = host.task;
  if (storedTask === undefined || storedTask.queued === true)
    return submit(provider, call, randomUUID(), host);
  if (storedTask.id === null || storedTask.provider !== provider.name) {
    const detail = 'the process that submitted it ended before it received a response';
    throw new ProviderError(provider.name, 'outcome_unknown', { detail });
  }
  return { handle: toHandle(storedTask), task: storedTask };
}

function toHandle({ id, state }: ProviderTask): Handle {
  return { id: id ?? '', ...(state === undefined ? {} : { state }) };
}

type StoredSubmission =
  | Extract<Submission, { readonly output: Output }>
  | { readonly handle: Handle; readonly task: ProviderTask };

/** Returns the output if the work has ended. Otherwise throws, after cancelling work whose deadline has passed. */
async function pollOnce<Call>(
  provider: Provider<Call>,
  call: Call,
  task: ProviderTask,
  host: CallHost,
): Promise<Output> {
  if (task.deadlineAtMs === undefined) {
    // The record was stored by an older version that polled in memory. From now on, the poller tracks it.
    const timedTask = { ...task, ...createTaskTimes(provider.pace) };
    await host.task.save(timedTask);
    throw new TaskInProgressError(timedTask);
  }
  const isJustSubmitted = task !== host.task.stored;
  if (isJustSubmitted || host.task.isWoken !== true) throw new TaskInProgressError(task);
  const { tasks } = provider;
  if (tasks === undefined) throw new ProviderError(provider.name, 'outcome_unknown');
  try {
    const state = await runProtocol(
      provider,
      tasks.poll(toHandle(task), call),
      host.fetch,
      toSignals(host.signal),
    );
    if ('output' in state) return state.output;
    if (state.fraction !== undefined) host.progress(state.fraction);
  } catch (err) {
    const isLost = err instanceof ProviderError && err.kind === 'lost';
    if (!isLost || tasks.acceptsChosenIds !== true || (task.asks ?? 0) > 0) throw err;
    const resubmission = await submit(provider, call, task.id ?? randomUUID(), host, 1);
    if ('output' in resubmission) return resubmission.output;
    throw new TaskInProgressError(resubmission.task);
  }
  if (Date.now() >= task.deadlineAtMs) {
    await cancel(provider, toHandle(task), host);
    throw new ProviderError(provider.name, 'timeout');
  }
  const { isSubmitting: _, ...submittedTask } = task;
  const updatedTask = { ...submittedTask, asks: (task.asks ?? 0) + 1 };
  await host.task.save(updatedTask);
  throw new TaskInProgressError(updatedTask);
}

async function submit<Call>(
  provider: Provider<Call>,
  call: Call,
  chosenId: string,
  host: CallHost,
  asks = 0,
): Promise<StoredSubmission> {
  const acceptsChosenIds = provider.tasks?.acceptsChosenIds === true;
  const slot = await claimSlot(provider, host);
  const token = randomBytes(24).toString('base64url');
  const callbackUrl = host.callbackUrl?.(provider.name, token);
  const taskCredential = toTaskCredential(provider, host);
  const record = {
    ...createTaskTimes(provider.pace),
    ...(slot === 'slot' ? { slot: true as const } : {}),
    ...(callbackUrl === undefined ? {} : { token }),
    ...readModel(provider, call, host),
    // A resubmission is counted, so that a task that the provider keeps losing is not submitted forever.
    ...(asks === 0 ? {} : { asks }),
  };
  // Once this is stored, no other process submits the call again, even if this one crashes.
  await host.task.save({
    ...taskCredential,
    id: acceptsChosenIds ? chosenId : null,
    ...record,
    isSubmitting: true,
  });
  const submission = await submitOnce(provider, call, { chosenId, callbackUrl }, host);
  if ('output' in submission) return submission;
  const task = { ...taskCredential, ...record, ...submission.handle, ...createTaskTimes(provider.pace) };
  try {
    await host.task.save(task);
  } catch (err) {
    // No other process knows this task, so it is cancelled. A task with a chosen id is polled by the run's new worker.
    if (!acceptsChosenIds) await cancel(provider, submission.handle, host);
    throw err;
  }
  return { handle: submission.handle, task };
}

/** Claims a slot. Throws TaskInProgressError if the call has to wait for a slot. */
async function claimSlot(provider: Pick<Provider<never>, 'name'>, host: CallHost): Promise<SlotOutcome> {
  const { task } = host;
  if (task.slots === undefined) return 'open';
  if (task.stored?.queued === true && task.isWoken === true) return 'slot';
  const sinceMs = task.stored?.queued === true ? task.stored.submittedAtMs : undefined;
  const nowMs = Date.now();
  const times = { submittedAtMs: sinceMs ?? nowMs, deadlineAtMs: nowMs + MAX_QUEUED_MS };
  const record = { ...toTaskCredential(provider, host), id: null, queued: true, ...times } as const;
  const claim = await task.slots.claim(record);
  if (claim === 'wait') throw new TaskInProgressError(record);
  return claim;
}

function readModel<Call>(
  provider: Provider<Call>,
  call: Call,
  { task, credential }: CallHost,
): Pick<ProviderTask, 'model' | 'usualMs'> {
  const model = credential?.sharesDurations === false ? undefined : provider.getModel?.(call);
  if (model === undefined) return {};
  const usualMs = task.slots?.getUsualMs(provider.name, model);
  return { model, ...(usualMs === undefined ? {} : { usualMs }) };
}

// A call may wait longer for a slot than any run may take, so the run's own time limit ends the wait.
const MAX_QUEUED_MS = 31 * 86_400_000;

function createTaskTimes({ deadlineMs }: Pace): Pick<ProviderTask, 'submittedAtMs' | 'deadlineAtMs'> {
  const submittedAtMs = Date.now();
  return { submittedAtMs, deadlineAtMs: submittedAtMs + deadlineMs };
}

async function submitOnce<Call>(
  provider: Provider<Call>,
  call: Call,
  { chosenId, callbackUrl }: { readonly chosenId: string; readonly callbackUrl: string | undefined },
  host: CallHost,
): Promise<Submission> {
  // After the end of the run, the response is awaited for a moment, because it may contain the id that is needed to cancel
  // the work. A provider without tasks has no such id.
  const submissions = createRunEndSignal(host.signal, provider.tasks === undefined ? 0 : LAST_RESPONSE_MS);
  try {
    const signals = { submissions, otherRequests: host.signal };
    const { slots } = host.task;
    const taskCredential = toTaskCredential(provider, host);
    const sender = {
      ...provider,
      onRateLimited: () => slots?.onRateLimited(taskCredential, countActive(getLimiterName(taskCredential))),
      // A task with a chosen id can be cancelled without a response.
      onAbandoned: () => (provider.tasks?.acceptsChosenIds === true ? undefined : host.task.markBillable?.()),
    };
    const submission = await runProtocol(
      sender,
      provider.submit(call, chosenId, callbackUrl),
      host.fetch,
      signals,
    );
    slots?.onSubmitted(taskCredential);
    if ('output' in submission) host.task.markBillable?.();
    return submission;
  } catch (err) {
    const isUnknown = err instanceof ProviderError && err.kind === 'outcome_unknown';
    if (!isUnknown || provider.tasks?.acceptsChosenIds !== true) throw err;
    return { handle: { id: chosenId } };
  }
}

/** Returns a signal that fires `delayMs` after the run was cancelled or timed out. */
function createRunEndSignal(signal: AbortSignal, delayMs: number): AbortSignal {
  const controller = new AbortController();
  const forwardAbort = (): void => {
    if (!END_REASONS.has(signal.reason)) return;
    if (delayMs === 0) controller.abort(signal.reason);
    else setTimeout(() => controller.abort(signal.reason), delayMs).unref();
  };
  if (signal.aborted) forwardAbort();
  signal.addEventListener('abort', forwardAbort, { once: true });
  return controller.signal;
}

/** Cancels the task. Errors are ignored, because the run ends in any case. */
async function cancel<Call>(provider: Provider<Call>, handle: Handle, host: CallHost): Promise<void> {
  if (provider.tasks === undefined) return;
  const signal = AbortSignal.timeout(CANCEL_TIMEOUT_MS);
  await runProtocol(provider, provider.tasks.cancel(handle), host.fetch, toSignals(signal)).catch(
    () => undefined,
  );
}

/** Downloads the files immediately, because providers delete them after a while. */
async function downloadFiles<Call>(
  provider: Provider<Call>,
  sources: readonly FileSource[],
  host: CallHost,
): Promise<readonly Buffer[]> {
  const { maxFiles = MAX_FILES } = provider;
  if (sources.length > maxFiles) {
    throw new ProviderError(provider.name, 'bad_output', { detail: `more than ${maxFiles} files` });
  }
  const signals = toSignals(host.signal);
  const files: Buffer[] = [];
  let bytes = 0;
  for (const source of sources) {
    const isDownloaded = Buffer.isBuffer(source);
    const file = isDownloaded
      ? source
      : await runProtocol(provider, download(provider.name, source), host.fetch, signals);
    bytes += file.length;
    if (bytes > MAX_TOTAL_BYTES)
      throw new ProviderError(provider.name, 'bad_output', { detail: 'the files are too large together' });
    files.push(file);
  }
  return files;
}

const LOST_STATUSES: ReadonlySet<number> = new Set([403, 404, 410]);

function* download(provider: ProviderName, source: ProviderRequest): Protocol<Buffer> {
  const response = yield { ...source, timeoutMs: DOWNLOAD_TIMEOUT_MS, maxBytes: MAX_FILE_BYTES };
  if (response.status === 200) return response.body;
  const kind = LOST_STATUSES.has(response.status) ? 'lost' : 'bad_output';
  throw new ProviderError(provider, kind, {
    detail: `downloading the file failed with status ${response.status}`,
  });
}

function toSignals(signal: AbortSignal): Signals {
  return { submissions: signal, otherRequests: signal };
}
