// Receives webhooks from providers. A webhook wakes the run that waits for the call, which then fetches the result itself.
import { isIP } from 'node:net';
import { isLoopbackHost, isPublicAddress } from '../../lib/addresses.ts';
import { AppError } from '../../lib/errors.ts';
import type { CallbackProvider } from '../../nodes/models/callback-keys.ts';
import { CALLBACK_PROVIDERS, createCallbackKeys } from '../../nodes/models/callback-keys.ts';
import { findCallByToken } from '../../store/calls.ts';
import type { RunDeps } from '../deps.ts';
import { recordCallDurations, wakeRuns } from './apply-poll-results.ts';

export interface ReceivedCallback {
  readonly provider: string;
  readonly token: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

export type CallbackReceiver = (callback: ReceivedCallback) => Promise<void>;

/**
 * Creates the receiver, which throws 404 for a provider without webhooks and 401 for an invalid signature. The receiver
 * ignores webhooks of unknown and ended calls. An ended call's webhook cannot be verified, because its credential may be
 * deleted.
 */
export function createCallbackReceiver(deps: RunDeps): CallbackReceiver {
  const keys = createCallbackKeys(deps.now);
  return async ({ provider, token, headers, body }) => {
    if (!isCallbackProvider(provider))
      throw new AppError('not_found', 'Provider not found. Only fal and Replicate send webhooks.');
    const call = await findCallByToken(deps.db, provider, token);
    // Tokens cannot be guessed, so this response does not reveal which calls exist.
    if (call === undefined) return;
    const credential = await deps.credentialOpener.open(provider, call.value_id);
    const isSigned =
      credential !== undefined &&
      (await keys
        .isSigned(provider, credential, { headers, body, nowMs: deps.now() })
        .catch((err: unknown) => {
          throw new AppError(
            'unavailable',
            'The keys of the provider could not be fetched. Try again in a moment.',
            { cause: err },
          );
        }));
    if (!isSigned) throw new AppError('unauthorized', 'The webhook is not signed by the provider.');
    await wakeRuns(deps, [call]);
    await recordCallDurations(deps, [call]);
  };
}

function isCallbackProvider(name: string): name is CallbackProvider {
  return CALLBACK_PROVIDERS.some(provider => provider === name);
}

/** Creates a function that returns the webhook URL of a call, or undefined if the provider cannot reach this service. */
export function createCallbackUrlBuilder({
  settings,
}: Pick<RunDeps, 'settings'>): (provider: string, token: string) => string | undefined {
  const { protocol, hostname } = new URL(settings.BASE_URL);
  const isReachable =
    protocol === 'https:' &&
    !isLoopbackHost(hostname) &&
    (isIP(hostname) === 0 ? hostname.includes('.') : isPublicAddress(hostname));
  return (provider, token) =>
    isReachable && isCallbackProvider(provider)
      ? `${settings.BASE_URL}/hooks/${provider}/${token}`
      : undefined;
}
