// Receives hooks of providers. A hook only wakes the run that waits for the call; its content is never trusted as a
// result.

import { isIP } from 'node:net';
import { isLoopbackHost, isPublicAddress } from '../../lib/addresses.ts';
import { AppError } from '../../lib/errors.ts';
import type { HookKeys, HookProvider } from '../../nodes/models/hooks.ts';
import { createHookKeys, HOOK_PROVIDERS } from '../../nodes/models/hooks.ts';
import { readProviders } from '../../nodes/models/providers.ts';
import { findCallByToken } from '../../store/calls.ts';
import type { RunDeps } from '../deps.ts';
import { recordDurations, wakeRuns } from './apply-poll-results.ts';

export interface ReceivedHook {
  readonly provider: string;
  readonly token: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

export type HookReceiver = (hook: ReceivedHook) => Promise<void>;

/**
 * Throws 404 for a provider without hooks, and 401 for a hook without a valid signature. A hook for an unknown call is
 * ignored.
 */
export function createHookReceiver(deps: RunDeps): HookReceiver {
  const keys: HookKeys = createHookKeys(
    readProviders(deps.settings),
    (url, { timeoutMs = KEYS_TIMEOUT_MS, maxBytes = KEYS_MAX_BYTES, ...init } = {}) =>
      deps.providerFetch.fetch(url, { ...init, timeoutMs, maxBytes }),
    deps.now,
  );
  return async ({ provider, token, headers, body }) => {
    if (!isHookProvider(provider)) throw new AppError('not_found', 'No provider of this name sends hooks.');
    const isGenuine = await keys
      .isGenuine(provider, { headers, body, nowMs: deps.now() })
      .catch((err: unknown) => {
        throw new AppError(
          'unavailable',
          'The keys of the provider cannot be fetched: try again in a moment.',
          {
            cause: err,
          },
        );
      });
    if (!isGenuine) throw new AppError('unauthorized', 'The provider has not signed this hook.');
    const call = await findCallByToken(deps.db, provider, token);
    if (call === undefined) return;
    await wakeRuns(deps, [call]);
    await recordDurations(deps, [call]);
  };
}

const KEYS_TIMEOUT_MS = 10_000;
const KEYS_MAX_BYTES = 65_536;

function isHookProvider(name: string): name is HookProvider {
  return HOOK_PROVIDERS.some(known => known === name);
}

/** Returns the hook address for a call, or undefined if providers cannot reach this service. */
export function hookAddress({
  settings,
}: Pick<RunDeps, 'settings'>): (provider: string, token: string) => string | undefined {
  const { protocol, hostname } = new URL(settings.BASE_URL);
  const isReachable =
    protocol === 'https:' &&
    !isLoopbackHost(hostname) &&
    (isIP(hostname) === 0 ? hostname.includes('.') : isPublicAddress(hostname));
  return (provider, token) =>
    isReachable && isHookProvider(provider) ? `${settings.BASE_URL}/hooks/${provider}/${token}` : undefined;
}
