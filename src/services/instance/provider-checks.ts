// Checks whether the providers of the instance respond, each at most once in ten seconds.
import { Type } from 'typebox';
import { getProviderSetting } from '../../nodes/models/provider-probes.ts';
import type { ProviderCredential } from '../../providers/credential.ts';
import {
  type CredentialKey,
  DISPLAY_NAMES,
  findServerName,
  PROVIDER_NAMES,
  type ProviderName,
} from '../../providers/names.ts';
import { type Actor, requireScope } from '../accounts/actor.ts';
import { resolveInstanceCredentials } from '../credentials/run-credentials.ts';
import { sendProbe } from '../credentials/test-credential.ts';
import type { Deps } from '../deps.ts';
import { Named, Nullable } from '../schema.ts';

const CACHE_MS = 10_000;

export const ProvidersResponse = Named('Providers', 'The model providers, and whether they respond', {
  providers: Type.Array(
    Type.Object({
      name: Type.String(),
      label: Type.String(),
      setting: Type.String({ description: 'The setting that enables it without a stored credential' }),
      isConfigured: Type.Boolean({
        description: 'Whether the instance has a credential for it, stored or set by the environment',
      }),
      address: Nullable(Type.String()),
      answers: Nullable(Type.Boolean({ description: 'Null if it is not configured' })),
      latencyMs: Nullable(Type.Integer()),
      error: Nullable(Type.String({ description: 'Why it cannot be used now' })),
    }),
  ),
  checkedAt: Type.String({ format: 'date-time' }),
});

type ProviderCheckDeps = Pick<
  Deps,
  'db' | 'settings' | 'environmentCredentials' | 'credentialOpener' | 'now'
>;
type ProviderChecks = Awaited<ReturnType<typeof probeAll>>;

interface RecentCheck {
  readonly atMs: number;
  /** The ids of the checked values. A key that replaces one of them is checked immediately. */
  readonly valueIds: string;
  readonly result: Promise<ProviderChecks>;
}

const recentChecks = new WeakMap<object, RecentCheck>();

/** Returns recent checks of the providers, or checks them now. Throws 401 without the scope `instance:admin`. */
export async function checkProviders(deps: ProviderCheckDeps, actor: Actor): Promise<ProviderChecks> {
  requireScope(actor, 'instance:admin');
  const chosen = [...(await resolveInstanceCredentials(deps, deps.db))].flatMap(([key, credential]) =>
    findServerName(key) === undefined ? [credential] : [],
  );
  const valueIds = chosen.map(({ id, valueId }) => valueId ?? id).join(' ');
  const recent = recentChecks.get(deps.settings);
  if (recent?.valueIds === valueIds && deps.now() - recent.atMs < CACHE_MS) return recent.result;
  const opened = chosen.map(({ kind, valueId }) => deps.credentialOpener.open(kind, valueId));
  const result = probeAll(deps, opened);
  recentChecks.set(deps.settings, { atMs: deps.now(), valueIds, result });
  return result;
}

async function probeAll(
  deps: Pick<ProviderCheckDeps, 'now'>,
  opened: readonly Promise<ProviderCredential | undefined>[],
) {
  const credentials = (await Promise.all(opened)).filter(credential => credential !== undefined);
  const providers = await probeProviders(
    new Map<CredentialKey, ProviderCredential>(credentials.map(credential => [credential.kind, credential])),
  );
  return { providers, checkedAt: new Date(deps.now()).toISOString() };
}

/** Probes the provider of each credential now. */
export function probeProviders(credentials: ReadonlyMap<CredentialKey, ProviderCredential>) {
  return Promise.all(PROVIDER_NAMES.map(name => checkProvider(name, credentials.get(name))));
}

async function checkProvider(name: ProviderName, credential: ProviderCredential | undefined) {
  const provider = {
    name,
    label: DISPLAY_NAMES[name],
    setting: getProviderSetting(name),
    isConfigured: credential !== undefined,
    address: credential?.endpoint.baseUrl ?? null,
  };
  if (credential === undefined) return { ...provider, answers: null, latencyMs: null, error: null };
  const { error, latencyMs } = await sendProbe(credential);
  return { ...provider, answers: error === null, latencyMs, error };
}
