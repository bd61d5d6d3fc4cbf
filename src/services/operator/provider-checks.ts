// Checks whether configured providers respond, each at most once in ten seconds.
import { Type } from 'typebox';
import { toError } from '../../lib/errors.ts';
import type { GuardedFetch } from '../../lib/fetch.ts';
import { listProbes, type ProbedProvider, readProbe } from '../../nodes/models/provider-probes.ts';
import { type Actor, requireScope } from '../accounts/actor.ts';
import type { Deps } from '../deps.ts';
import { Named, Nullable } from '../schema.ts';

const TIMEOUT_MS = 5_000;
const MAX_BYTES = 8_000_000;
const KEPT_MS = 10_000;

export const ProvidersResponse = Named('Providers', 'The model providers, and whether they respond', {
  providers: Type.Array(
    Type.Object({
      name: Type.String(),
      label: Type.String(),
      setting: Type.String({ description: 'The setting that enables it' }),
      isConfigured: Type.Boolean(),
      address: Nullable(Type.String()),
      answers: Nullable(Type.Boolean({ description: 'Null if it is not configured' })),
      latencyMs: Nullable(Type.Integer()),
      error: Nullable(Type.String({ description: 'Why it cannot be used now' })),
    }),
  ),
  checkedAt: Type.String({ format: 'date-time' }),
});

type CheckDeps = Pick<Deps, 'settings' | 'providerFetch' | 'now'>;
type Checked = Awaited<ReturnType<typeof check>>;

const recentChecks = new WeakMap<object, { readonly atMs: number; readonly checked: Promise<Checked> }>();

/** Returns recent checks of the providers, or checks them now. Throws 401 without the scope `instance:admin`. */
export async function checkProviders(deps: CheckDeps, actor: Actor): Promise<Checked> {
  requireScope(actor, 'instance:admin');
  const recent = recentChecks.get(deps.settings);
  if (recent !== undefined && deps.now() - recent.atMs < KEPT_MS) return recent.checked;
  const checked = check(deps);
  recentChecks.set(deps.settings, { atMs: deps.now(), checked });
  return checked;
}

async function check(deps: CheckDeps) {
  const providers = await probeProviders(deps.providerFetch, deps.settings);
  return { providers, checkedAt: new Date(deps.now()).toISOString() };
}

/** Probes each provider now. The client must trust their origins. */
export function probeProviders(client: GuardedFetch, settings: Deps['settings']) {
  return Promise.all(listProbes(settings).map(probe => checkProvider(client, probe)));
}

async function checkProvider(providerFetch: GuardedFetch, { request, address, ...provider }: ProbedProvider) {
  const presented = { ...provider, isConfigured: request !== undefined, address: address ?? null };
  if (request === undefined) return { ...presented, answers: null, latencyMs: null, error: null };
  const startedMs = performance.now();
  const error = await providerFetch
    .fetch(request.url, { headers: request.headers, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES })
    .then(response => readProbe(provider.name, response).error)
    .catch((err: unknown) => toError(err).message);
  const latencyMs = Math.round(performance.now() - startedMs);
  return { ...presented, answers: error === null, latencyMs, error };
}
