// Runs one provider call from submission to downloaded files. The record is stored before any wait, so that a worker
// that takes over the run polls the same work instead of paying for it twice.
import { randomBytes, randomUUID } from 'node:crypto';
import { inSpan } from '../lib/span.ts';
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
  SlotClaim,
  Submission,
} from './provider.ts';
import { TaskInProgress } from './provider.ts';
import { ProviderError } from './provider-error.ts';
import { runProtocol, type Send, type Signals } from './send.ts';

/** What the run provides to a call. */
export interface CallHost {
  readonly fetch: Send;
  /**
   * The reason is `cancelled` or `timeout` if the run ends. After any other reason, another worker continues the work.
   */
  readonly signal: AbortSignal;
  readonly task: {
    /** The record that an earlier worker stored. */
    readonly stored?: ProviderTask | undefined;
    /** Resolves when the record is stored durably; rejects if this worker no longer owns the run. */
    keep(task: ProviderTask): Promise<void>;
    /** Whether the awaited event has happened: the work ended at the provider, or a slot was granted. */
    readonly hasEnded?: boolean | undefined;
    /**
     * Called once the call costs credits even if its run ends: the provider finished the work, or may have and cannot
     * be asked to stop.
     */
    markBillable?(): void;
    /** Absent if calls are not limited. */
    readonly slots?: ProviderSlots | undefined;
  };
  progress(fraction: number): void;
  /** Returns the webhook URL for a call, or undefined if the provider cannot reach this service. */
  hookUrl?(provider: ProviderName, token: string): string | undefined;
}

/** State about a provider that all processes share. */
export interface ProviderSlots {
  /** Claims a slot for the call. If it has to wait, the record is stored with its run. */
  claim(record: ProviderTask): Promise<SlotClaim>;
  /**
   * Records that the provider rejected a submission by its rate limit while this process had that many calls in
   * progress.
   */
  onRateLimited(provider: ProviderName, callsInProcess: number): void;
  onSubmitted(provider: ProviderName): void;
  usualMs(provider: ProviderName, model: string): number | undefined;
}

export interface Delivery extends Omit<Output, 'files'> {
  readonly files: readonly Buffer[];
}

/** The calls of this process in progress, by provider. */
const activeCalls = new Map<ProviderName, number>();
const ENDINGS: ReadonlySet<unknown> = new Set(['cancelled', 'timeout']);
const CANCEL_TIMEOUT_MS = 10_000;
const LAST_ANSWER_MS = 3000;
const MAX_FILES = 16;
const MAX_FILE_BYTES = 268_435_456;
const DOWNLOAD_TIMEOUT_MS = 300_000;

/**
 * Makes the call, or continues the one in `host.task.stored`. Throws ProviderError, the signal's reason once it has
 * fired, or TaskInProgress if the work continues at the provider and the poller watches it.
 */
export async function runCall<Call>(provider: Provider<Call>, call: Call, host: CallHost): Promise<Delivery> {
  const { name } = provider;
  return inSpan(`call ${name}`, spanOf(provider, call, host), async () => {
    activeCalls.set(name, countActive(name) + 1);
    try {
      const submission = await attach(provider, call, host);
      const output =
        'output' in submission ? submission.output : await pollOnce(provider, call, submission.task, host);
      return { ...output, files: await collect(provider, output.files, host) };
    } finally {
      activeCalls.set(name, countActive(name) - 1);
    }
  });
}

/** If the call was submitted earlier, its span starts at the submission. */
function spanOf<Call>(provider: Provider<Call>, call: Call, { task: { stored } }: CallHost) {
  return {
    ...(stored?.submittedAtMs === undefined ? {} : { startMs: stored.submittedAtMs }),
    attributes: {
      'graphwright.provider': provider.name,
      'graphwright.model': provider.modelOf?.(call),
      'graphwright.call.asks': stored?.asks,
    },
    // The work continues at the provider, and the run is resumed when it ends.
    isExpected: (err: unknown) => err instanceof TaskInProgress,
  };
}

const countActive = (name: ProviderName): number => activeCalls.get(name) ?? 0;

/** Returns the submission of an earlier worker, or makes one. */
function attach<Call>(
  provider: Provider<Call>,
  call: Call,
  host: CallHost,
): Promise<StoredSubmission> | StoredSubmission {
  const { stored } = host.task;
  if (stored === undefined || stored.queued === true) return submit(provider, call, randomUUID(), host);
  if (stored.id === null || stored.provider !== provider.name) {
    const detail = 'the process that submitted it ended before it received an answer';
    throw new ProviderError(provider.name, 'outcome_unknown', { detail });
  }
  return { handle: handleOf(stored), task: stored };
}

function handleOf({ id, state }: ProviderTask): Handle {
  return { id: id ?? '', ...(state === undefined ? {} : { state }) };
}

type StoredSubmission =
  | Extract<Submission, { readonly output: Output }>
  | { readonly handle: Handle; readonly task: ProviderTask };

/** Returns the result if the work has ended, or fails the call if its deadline has passed. */
async function pollOnce<Call>(
  provider: Provider<Call>,
  call: Call,
  task: ProviderTask,
  host: CallHost,
): Promise<Output> {
  if (task.deadlineAtMs === undefined) {
    // Stored by an older version that polled in memory: from now on the poller watches it.
    const polled = { ...task, ...timesOf(provider.pace) };
    await host.task.keep(polled);
    throw new TaskInProgress(polled);
  }
  const isJustSubmitted = task !== host.task.stored;
  if (isJustSubmitted || host.task.hasEnded !== true) throw new TaskInProgress(task);
  const { tasks } = provider;
  if (tasks === undefined) throw new ProviderError(provider.name, 'outcome_unknown');
  try {
    const state = await runProtocol(
      provider,
      tasks.poll(handleOf(task), call),
      host.fetch,
      always(host.signal),
    );
    if ('output' in state) return state.output;
    if (state.fraction !== undefined) host.progress(state.fraction);
  } catch (err) {
    const isLost = err instanceof ProviderError && err.kind === 'lost';
    if (!isLost || tasks.takesOurIds !== true || (task.asks ?? 0) > 0) throw err;
    const again = await submit(provider, call, task.id ?? randomUUID(), host, 1);
    if ('output' in again) return again.output;
    throw new TaskInProgress(again.task);
  }
  if (Date.now() >= task.deadlineAtMs) {
    await cancel(provider, handleOf(task), host);
    throw new ProviderError(provider.name, 'timeout');
  }
  const asked = { ...task, asks: (task.asks ?? 0) + 1 };
  await host.task.keep(asked);
  throw new TaskInProgress(asked);
}

async function submit<Call>(
  provider: Provider<Call>,
  call: Call,
  ourId: string,
  host: CallHost,
  asks = 0,
): Promise<StoredSubmission> {
  const takesOurIds = provider.tasks?.takesOurIds === true;
  const slot = await claimSlot(provider, host);
  const token = randomBytes(24).toString('base64url');
  const hookUrl = host.hookUrl?.(provider.name, token);
  const record = {
    ...timesOf(provider.pace),
    ...(slot === 'slot' ? { slot: true as const } : {}),
    ...(hookUrl === undefined ? {} : { token }),
    ...modelOf(provider, call, host),
    // Counted, so that work that the provider keeps losing is not submitted forever.
    ...(asks === 0 ? {} : { asks }),
  };
  // From here on nobody else submits this call, even if this process crashes.
  await host.task.keep({ provider: provider.name, id: takesOurIds ? ourId : null, ...record });
  const submission = await submitOnce(provider, call, { ourId, hookUrl }, host);
  if ('output' in submission) return submission;
  const task = { provider: provider.name, ...record, ...submission.handle, ...timesOf(provider.pace) };
  try {
    await host.task.keep(task);
  } catch (err) {
    // Nobody will ask for this work again, so it is cancelled. Work under our own id is polled by the run's new owner
    // instead.
    if (!takesOurIds) await cancel(provider, submission.handle, host);
    throw err;
  }
  return { handle: submission.handle, task };
}

/** Claims a slot. Throws TaskInProgress if the call has to wait for one. */
async function claimSlot({ name }: Pick<Provider<never>, 'name'>, { task }: CallHost): Promise<SlotClaim> {
  if (task.slots === undefined) return 'open';
  if (task.stored?.queued === true && task.hasEnded === true) return 'slot';
  const sinceMs = task.stored?.queued === true ? task.stored.submittedAtMs : undefined;
  const nowMs = Date.now();
  const times = { submittedAtMs: sinceMs ?? nowMs, deadlineAtMs: nowMs + MAX_QUEUED_MS };
  const record = { provider: name, id: null, queued: true, ...times } as const;
  const claim = await task.slots.claim(record);
  if (claim === 'wait') throw new TaskInProgress(record);
  return claim;
}

function modelOf<Call>(
  provider: Provider<Call>,
  call: Call,
  { task }: CallHost,
): Pick<ProviderTask, 'model' | 'usualMs'> {
  const model = provider.modelOf?.(call);
  if (model === undefined) return {};
  const usualMs = task.slots?.usualMs(provider.name, model);
  return { model, ...(usualMs === undefined ? {} : { usualMs }) };
}

// Longer than any run may take.
const MAX_QUEUED_MS = 31 * 86_400_000;

function timesOf({ deadlineMs }: Pace): Pick<ProviderTask, 'submittedAtMs' | 'deadlineAtMs'> {
  const submittedAtMs = Date.now();
  return { submittedAtMs, deadlineAtMs: submittedAtMs + deadlineMs };
}

async function submitOnce<Call>(
  provider: Provider<Call>,
  call: Call,
  { ourId, hookUrl }: { readonly ourId: string; readonly hookUrl: string | undefined },
  host: CallHost,
): Promise<Submission> {
  // The answer may carry the id that is needed to cancel the work, so it is awaited for a moment. Without ids there is
  // nothing to wait for.
  const submissions = whenRunEnds(host.signal, provider.tasks === undefined ? 0 : LAST_ANSWER_MS);
  try {
    const signals = { submissions, others: host.signal };
    const { slots } = host.task;
    const { name } = provider;
    const sender = {
      ...provider,
      onRateLimited: () => slots?.onRateLimited(name, countActive(name)),
      // Work under our own id can be cancelled without an answer.
      onAbandoned: () => (provider.tasks?.takesOurIds === true ? undefined : host.task.markBillable?.()),
    };
    const submission = await runProtocol(sender, provider.submit(call, ourId, hookUrl), host.fetch, signals);
    slots?.onSubmitted(name);
    if ('output' in submission) host.task.markBillable?.();
    return submission;
  } catch (err) {
    const isUnclear = err instanceof ProviderError && err.kind === 'outcome_unknown';
    if (!isUnclear || provider.tasks?.takesOurIds !== true) throw err;
    return { handle: { id: ourId } };
  }
}

/** Returns a signal that fires the given time after the run was cancelled or timed out. */
function whenRunEnds(signal: AbortSignal, delayMs: number): AbortSignal {
  const ended = new AbortController();
  const forward = (): void => {
    if (!ENDINGS.has(signal.reason)) return;
    if (delayMs === 0) ended.abort(signal.reason);
    else setTimeout(() => ended.abort(signal.reason), delayMs).unref();
  };
  if (signal.aborted) forward();
  signal.addEventListener('abort', forward, { once: true });
  return ended.signal;
}

/** Best effort: the run ends the same way whether or not the provider complies. */
async function cancel<Call>(provider: Provider<Call>, handle: Handle, host: CallHost): Promise<void> {
  if (provider.tasks === undefined) return;
  const signal = AbortSignal.timeout(CANCEL_TIMEOUT_MS);
  await runProtocol(provider, provider.tasks.cancel(handle), host.fetch, always(signal)).catch(
    () => undefined,
  );
}

/** Downloads the files immediately, because providers delete them soon. */
async function collect<Call>(
  provider: Provider<Call>,
  sources: readonly FileSource[],
  host: CallHost,
): Promise<readonly Buffer[]> {
  if (sources.length > MAX_FILES) {
    throw new ProviderError(provider.name, 'bad_output', { detail: `more than ${MAX_FILES} files` });
  }
  const signals = always(host.signal);
  const files: Buffer[] = [];
  for (const source of sources) {
    const isHere = Buffer.isBuffer(source);
    files.push(
      isHere ? source : await runProtocol(provider, download(provider.name, source), host.fetch, signals),
    );
  }
  return files;
}

const GONE: ReadonlySet<number> = new Set([403, 404, 410]);

function* download(provider: ProviderName, source: ProviderRequest): Protocol<Buffer> {
  const answer = yield { ...source, timeoutMs: DOWNLOAD_TIMEOUT_MS, maxBytes: MAX_FILE_BYTES };
  if (answer.status === 200) return answer.body;
  const kind = GONE.has(answer.status) ? 'lost' : 'bad_output';
  throw new ProviderError(provider, kind, {
    detail: `downloading the file failed with status ${answer.status}`,
  });
}

function always(signal: AbortSignal): Signals {
  return { submissions: signal, others: signal };
}
