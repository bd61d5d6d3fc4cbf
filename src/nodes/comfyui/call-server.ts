// Calls ComfyUI with a server of the run's pool. A call waits for a server in the queue of the pool, and moves to another
// one if its server is down or has forgotten it.
//
// The row of the call says which server has it; the record of the node's step only repeats it. So a call whose row has
// moved since its step was stored is submitted again, to the server that the row names.
import { listNeeds } from '../../graph/comfyui/choose-server.ts';
import { FetchError } from '../../lib/fetch/error.ts';
import { type ComfyCall, createComfyUiProvider } from '../../providers/comfyui.ts';
import { type ProviderTask, TaskInProgressError } from '../../providers/provider.ts';
import { ProviderError } from '../../providers/provider-error.ts';
import { type DownloadedOutput, runCall } from '../../providers/run-call.ts';
import { type NodeContext, NodeError, Suspend } from '../define.ts';
import { callProvider } from '../models/provider-call.ts';
import type { CallMove, CallPlace } from './server-queue.ts';

// A call may wait longer for a server than any run may take, so the run's own time limit ends the wait.
const MAX_QUEUED_MS = 31 * 86_400_000;
/** A call that cannot be submitted goes back to the queue soon, because another server may be free. */
const RETRY_FOR_MS = 3000;

/** Makes the call. Throws NodeError, or Suspend if the call waits for a server or for the end of the work. */
export async function callComfyServer(call: ComfyCall, ctx: NodeContext): Promise<DownloadedOutput> {
  const { queue, stored } = ctx.task;
  // A call that the version before submitted ends as it began.
  const isOlder = stored !== undefined && stored.queued !== true && stored.pool === undefined;
  if (queue === undefined || isOlder) return callProvider('comfyui', createComfyUiProvider, call, ctx);
  const submittedAtMs = Date.now();
  const deadlineAtMs = submittedAtMs + MAX_QUEUED_MS;
  const times = { submittedAtMs, deadlineAtMs };
  const waiting: ProviderTask = { provider: 'comfyui', id: null, queued: true, pool: queue.pool, ...times };
  const place = await queue.place(listNeeds(call.graph), waiting);
  if (place.attempts.length > 0) ctx.task.recordAttempts?.(place.attempts);
  if (place.kind === 'waiting') throw new Suspend('call', deadlineAtMs);
  if (place.kind === 'failed') throw new NodeError(place.code, place.message);
  const { moves, credentialId, valueId } = place;
  const move = async (error: string, reason: CallMove['reason'], cause?: ProviderError): Promise<never> => {
    if (await queue.move({ moves, error, reason }, waiting)) throw new Suspend('call', deadlineAtMs);
    throw cause === undefined
      ? new NodeError('provider_unavailable', `${error} No other server could run the graph.`)
      : new NodeError(cause.code, describe(cause, place.server), { cause, pointer: cause.pointer });
  };
  const credential = await queue.open(valueId);
  if (credential === undefined) return move(`The server ${place.server} was removed.`, 'lost');
  const current = isCurrent(stored, place) ? stored : undefined;
  const provider = createComfyUiProvider(credential.endpoint);
  try {
    const output = await runCall(
      { ...provider, pace: { ...provider.pace, retryForMs: RETRY_FOR_MS } },
      call,
      {
        ...ctx,
        fetch: credential.fetch,
        credential: { id: credentialId, valueId, sharesDurations: credential.sharesDurations ?? true },
        task: {
          ...ctx.task,
          stored: current,
          // The worker before died while it submitted the call, so nobody polls it.
          isWoken: ctx.task.isWoken === true || current?.isSubmitting === true,
          save: task => ctx.task.save({ ...task, pool: queue.pool, moves }),
          slots: ctx.task.slots && { ...ctx.task.slots, claim: () => Promise.resolve('slot') },
        },
      },
    );
    ctx.task.use(output.usage);
    return output;
  } catch (err) {
    if (err instanceof TaskInProgressError) throw new Suspend('call', err.task.deadlineAtMs ?? 0);
    if (!(err instanceof ProviderError)) throw err;
    const sentence = describe(err, place.server);
    if (err.kind === 'lost') return move(sentence, 'lost', err);
    if (current === undefined && err.isMissing === true) return move(sentence, 'refused', err);
    if (!isUnanswered(err)) {
      if (err.kind === 'auth') credential.onRejected?.(sentence);
      throw new NodeError(err.code, sentence, { cause: err, pointer: err.pointer });
    }
    if (current === undefined) return move(sentence, 'unreachable', err);
    // The server ended the work and does not answer now. It is polled until it answers or is down.
    const { isSubmitting: _, ...submitted } = current;
    await ctx.task.save({ ...submitted, asks: (current.asks ?? 0) + 1, pool: queue.pool, moves });
    throw new Suspend('call', current.deadlineAtMs ?? 0);
  }
}

const isCurrent = (
  stored: ProviderTask | undefined,
  { jobId, credentialId }: Extract<CallPlace, { readonly kind: 'placed' }>,
): boolean =>
  stored !== undefined && stored.id !== null && stored.id === jobId && stored.credentialId === credentialId;

/** Whether the server gave no answer, or one of a proxy whose server is away. */
const isUnanswered = ({ kind, cause }: ProviderError): boolean =>
  kind === 'unavailable' || (kind === 'timeout' && cause instanceof FetchError);

const describe = ({ kind, detail }: ProviderError, server: string): string =>
  new ProviderError('comfyui', kind, { detail, credential: server }).message;
