// One call at a provider from submission to stored files, shared by all of them: its record is kept before anything is
// waited for, so that whoever takes the run over asks for the same work again and never pays for a second.
import { randomBytes, randomUUID } from 'node:crypto';
import { createGate, type Gate } from '../lib/gate.ts';
import { inSpan } from '../lib/span.ts';
import { CALLS_AT_ONCE, type ProviderName } from './names.ts';
import type {
  FileSource,
  Handle,
  Output,
  Pace,
  Protocol,
  Provider,
  ProviderRequest,
  ProviderTask,
  Room,
  Submission,
} from './provider.ts';
import { CallUnderWay } from './provider.ts';
import { ProviderError } from './provider-error.ts';
import { converse, type Send, type Signals } from './send.ts';

/** What the run that a call belongs to does for it. */
export interface JobHost {
  readonly fetch: Send;
  /** Its reason is `cancelled` or `timeout` where the run ends; at any other another worker goes on with the work. */
  readonly signal: AbortSignal;
  readonly job: {
    /** What an earlier worker kept of this call. */
    readonly stored?: ProviderTask | undefined;
    /** Resolves once the record would outlive this process; rejects where the call is no longer this worker's. */
    keep(job: ProviderTask): Promise<void>;
    /** Whether what it waited for has come: the end of the work at the provider, or room for it there. */
    readonly hasEnded?: boolean | undefined;
    /** Called once the call costs even if its run ends: the provider has done it, or may do it and cannot be asked to stop. */
    owe?(): void;
    /** Absent: there is always room. */
    readonly slots?: ProviderSlots | undefined;
  };
  progress(fraction: number): void;
  /** The address under which the provider reports the end of a call; undefined where it cannot. */
  hookUrl?(provider: ProviderName, token: string): string | undefined;
}

/** What the calls of all processes share of a provider. */
export interface ProviderSlots {
  /** Whether the call may be submitted. Where it has to wait, the record goes with its run. */
  claim(record: ProviderTask): Promise<Room>;
  /** The provider has refused the submission by its rate limit, with so many at work in this process. */
  onRateLimited(provider: ProviderName, callsHere: number): void;
  onSubmitted(provider: ProviderName): void;
  usualMs(provider: ProviderName, model: string): number | undefined;
}

export interface Delivery extends Omit<Output, 'files'> {
  readonly files: readonly Buffer[];
}

interface Door {
  readonly gate: Gate;
  inside: number;
}
const DOORS = new Map<ProviderName, Door>(
  Object.entries(CALLS_AT_ONCE).map(([name, concurrency]) => [
    name as ProviderName,
    { gate: createGate({ concurrency, maxWaiting: Number.POSITIVE_INFINITY }), inside: 0 },
  ]),
);
const ENDINGS: ReadonlySet<unknown> = new Set(['cancelled', 'timeout']);
const CANCEL_TIMEOUT_MS = 10_000;
const LAST_ANSWER_MS = 3000;
const MAX_FILES = 16;
const MAX_FILE_BYTES = 268_435_456;
const DOWNLOAD_TIMEOUT_MS = 300_000;

/**
 * Does the call, or goes on with the one that `host.job.stored` describes. Throws ProviderError; once the signal has
 * fired, its reason; CallUnderWay where the work goes on and somebody else watches over it.
 */
export async function runJob<Call>(provider: Provider<Call>, call: Call, host: JobHost): Promise<Delivery> {
  const door = doorOf(provider);
  return inSpan(`call ${provider.name}`, spanOf(provider, call, host), () =>
    door.gate(async () => {
      door.inside++;
      try {
        const submission = await attach(provider, call, host);
        const output =
          'output' in submission ? submission.output : await askOnce(provider, call, submission.job, host);
        return { ...output, files: await collect(provider, output.files, host) };
      } finally {
        door.inside--;
      }
    }, host.signal),
  );
}

/** Of a call that went on meanwhile, the span begins with its submission. */
function spanOf<Call>(provider: Provider<Call>, call: Call, { job: { stored } }: JobHost) {
  return {
    ...(stored?.submittedAtMs === undefined ? {} : { startMs: stored.submittedAtMs }),
    attributes: {
      'graphwright.provider': provider.name,
      'graphwright.model': provider.modelOf?.(call),
      'graphwright.call.asks': stored?.asks,
    },
    // It goes on at the provider, and its run comes back for it.
    isExpected: (err: unknown) => err instanceof CallUnderWay,
  };
}

function doorOf({ name }: Pick<Provider<never>, 'name'>): Door {
  return DOORS.get(name) as Door;
}

/** The submission of an earlier worker, or a new one. */
function attach<Call>(
  provider: Provider<Call>,
  call: Call,
  host: JobHost,
): Promise<KeptSubmission> | KeptSubmission {
  const { stored } = host.job;
  if (stored === undefined || stored.queued === true) return submit(provider, call, randomUUID(), host);
  if (stored.id === null || stored.provider !== provider.name) {
    const detail = 'the process that asked for it ended before it had an answer';
    throw new ProviderError(provider.name, 'outcome_unknown', { detail });
  }
  return { handle: handleOf(stored), job: stored };
}

function handleOf({ id, state }: ProviderTask): Handle {
  return { id: id ?? '', ...(state === undefined ? {} : { state }) };
}

type KeptSubmission =
  | Extract<Submission, { readonly output: Output }>
  | { readonly handle: Handle; readonly job: ProviderTask };

/** The result of work that has ended, or whose time is over. */
async function askOnce<Call>(
  provider: Provider<Call>,
  call: Call,
  job: ProviderTask,
  host: JobHost,
): Promise<Output> {
  if (job.deadlineAtMs === undefined) {
    // Kept by an older version, which waited in memory: from now on somebody watches over it.
    const watched = { ...job, ...timesOf(provider.pace) };
    await host.job.keep(watched);
    throw new CallUnderWay(watched);
  }
  const isJustSubmitted = job !== host.job.stored;
  if (isJustSubmitted || host.job.hasEnded !== true) throw new CallUnderWay(job);
  const { jobs } = provider;
  if (jobs === undefined) throw new ProviderError(provider.name, 'outcome_unknown');
  try {
    const state = await converse(provider, jobs.poll(handleOf(job), call), host.fetch, always(host.signal));
    if ('output' in state) return state.output;
    if (state.fraction !== undefined) host.progress(state.fraction);
  } catch (err) {
    const isLost = err instanceof ProviderError && err.kind === 'lost';
    if (!isLost || jobs.takesOurIds !== true || (job.asks ?? 0) > 0) throw err;
    const again = await submit(provider, call, job.id ?? randomUUID(), host, 1);
    if ('output' in again) return again.output;
    throw new CallUnderWay(again.job);
  }
  if (Date.now() >= job.deadlineAtMs) {
    await cancel(provider, handleOf(job), host);
    throw new ProviderError(provider.name, 'timeout');
  }
  const asked = { ...job, asks: (job.asks ?? 0) + 1 };
  await host.job.keep(asked);
  throw new CallUnderWay(asked);
}

async function submit<Call>(
  provider: Provider<Call>,
  call: Call,
  ourId: string,
  host: JobHost,
  asks = 0,
): Promise<KeptSubmission> {
  const takesOurIds = provider.jobs?.takesOurIds === true;
  const room = await claimSlot(provider, host);
  const token = randomBytes(24).toString('base64url');
  const hookUrl = host.hookUrl?.(provider.name, token);
  const begun = {
    ...timesOf(provider.pace),
    ...(room === 'slot' ? { slot: true as const } : {}),
    ...(hookUrl === undefined ? {} : { token }),
    ...modelOf(provider, call, host),
    // What was lost once is not submitted for ever.
    ...(asks === 0 ? {} : { asks }),
  };
  // From here on nobody else submits, even if this process ends at once.
  await host.job.keep({ provider: provider.name, id: takesOurIds ? ourId : null, ...begun });
  const submission = await submitOnce(provider, call, { ourId, hookUrl }, host);
  if ('output' in submission) return submission;
  const job = { provider: provider.name, ...begun, ...submission.handle, ...timesOf(provider.pace) };
  try {
    await host.job.keep(job);
  } catch (err) {
    // The work that nobody will ask for again is better not done. What goes by our id, whoever has the run now asks for.
    if (!takesOurIds) await cancel(provider, submission.handle, host);
    throw err;
  }
  return { handle: submission.handle, job };
}

/** Throws CallUnderWay where the call has to wait for its turn at the provider. */
async function claimSlot({ name }: Pick<Provider<never>, 'name'>, { job }: JobHost): Promise<Room> {
  if (job.slots === undefined) return 'open';
  if (job.stored?.queued === true && job.hasEnded === true) return 'slot';
  const sinceMs = job.stored?.queued === true ? job.stored.submittedAtMs : undefined;
  const nowMs = Date.now();
  const times = { submittedAtMs: sinceMs ?? nowMs, deadlineAtMs: nowMs + MAX_QUEUED_MS };
  const record = { provider: name, id: null, queued: true, ...times } as const;
  const room = await job.slots.claim(record);
  if (room === 'wait') throw new CallUnderWay(record);
  return room;
}

function modelOf<Call>(
  provider: Provider<Call>,
  call: Call,
  { job }: JobHost,
): Pick<ProviderTask, 'model' | 'usualMs'> {
  const model = provider.modelOf?.(call);
  if (model === undefined) return {};
  const usualMs = job.slots?.usualMs(provider.name, model);
  return { model, ...(usualMs === undefined ? {} : { usualMs }) };
}

// The run's own time is over long before.
const MAX_QUEUED_MS = 31 * 86_400_000;

function timesOf({ deadlineMs }: Pace): Pick<ProviderTask, 'submittedAtMs' | 'deadlineAtMs'> {
  const submittedAtMs = Date.now();
  return { submittedAtMs, deadlineAtMs: submittedAtMs + deadlineMs };
}

async function submitOnce<Call>(
  provider: Provider<Call>,
  call: Call,
  { ourId, hookUrl }: { readonly ourId: string; readonly hookUrl: string | undefined },
  host: JobHost,
): Promise<Submission> {
  // An answer that carries an id is worth a moment: by it the work is cancelled. Without ids there is nothing to wait for.
  const submissions = whenRunEnds(host.signal, provider.jobs === undefined ? 0 : LAST_ANSWER_MS);
  try {
    const signals = { submissions, others: host.signal };
    const { slots } = host.job;
    const { name } = provider;
    const sender = {
      ...provider,
      onLimited: () => slots?.onRateLimited(name, doorOf(provider).inside),
      // What goes by our id is cancelled by that.
      onAbandoned: () => (provider.jobs?.takesOurIds === true ? undefined : host.job.owe?.()),
    };
    const submission = await converse(sender, provider.submit(call, ourId, hookUrl), host.fetch, signals);
    slots?.onSubmitted(name);
    if ('output' in submission) host.job.owe?.();
    return submission;
  } catch (err) {
    const isUnclear = err instanceof ProviderError && err.kind === 'outcome_unknown';
    if (!isUnclear || provider.jobs?.takesOurIds !== true) throw err;
    return { handle: { id: ourId } };
  }
}

/** Fires so long after the run was cancelled or has timed out. */
function whenRunEnds(signal: AbortSignal, delayMs: number): AbortSignal {
  const ended = new AbortController();
  const pass = (): void => {
    if (!ENDINGS.has(signal.reason)) return;
    if (delayMs === 0) ended.abort(signal.reason);
    else setTimeout(() => ended.abort(signal.reason), delayMs).unref();
  };
  if (signal.aborted) pass();
  signal.addEventListener('abort', pass, { once: true });
  return ended.signal;
}

/** Best effort: the run ends as it does whether the provider heeds it or not. */
async function cancel<Call>(provider: Provider<Call>, handle: Handle, host: JobHost): Promise<void> {
  if (provider.jobs === undefined) return;
  const signal = AbortSignal.timeout(CANCEL_TIMEOUT_MS);
  await converse(provider, provider.jobs.cancel(handle), host.fetch, always(signal)).catch(() => undefined);
}

/** The files, fetched at once: providers delete them soon. */
async function collect<Call>(
  provider: Provider<Call>,
  sources: readonly FileSource[],
  host: JobHost,
): Promise<readonly Buffer[]> {
  if (sources.length > MAX_FILES) {
    throw new ProviderError(provider.name, 'bad_output', { detail: `more than ${MAX_FILES} files` });
  }
  const signals = always(host.signal);
  const files: Buffer[] = [];
  for (const source of sources) {
    const isHere = Buffer.isBuffer(source);
    files.push(
      isHere ? source : await converse(provider, download(provider.name, source), host.fetch, signals),
    );
  }
  return files;
}

const GONE: ReadonlySet<number> = new Set([403, 404, 410]);

function* download(provider: ProviderName, source: ProviderRequest): Protocol<Buffer> {
  const answer = yield { ...source, timeoutMs: DOWNLOAD_TIMEOUT_MS, maxBytes: MAX_FILE_BYTES };
  if (answer.status === 200) return answer.body;
  const kind = GONE.has(answer.status) ? 'lost' : 'bad_output';
  throw new ProviderError(provider, kind, { detail: `the file answered with status ${answer.status}` });
}

function always(signal: AbortSignal): Signals {
  return { submissions: signal, others: signal };
}
