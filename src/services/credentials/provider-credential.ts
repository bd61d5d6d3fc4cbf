// Turns stored values and the settings of the environment into credentials that calls can use.
import { decrypt } from '../../lib/crypto.ts';
import { PROVIDER_URLS, type Settings } from '../../lib/settings.ts';
import { readProviders } from '../../nodes/models/providers.ts';
import type { ProviderCredential } from '../../providers/credential.ts';
import { DISPLAY_NAMES, PROVIDER_NAMES, type ProviderName } from '../../providers/names.ts';
import type { Endpoint } from '../../providers/provider.ts';
import { type Send, withoutKeys } from '../../providers/send.ts';
import type { Deps } from '../deps.ts';

/** The secret part of a credential. */
export interface CredentialValues {
  readonly apiKey?: string | undefined;
  readonly baseUrl?: string | undefined;
}

type AccessDeps = Pick<Deps, 'settings' | 'fetch' | 'providerFetch'>;

export interface CredentialFacts {
  readonly id: string;
  readonly kind: ProviderName;
  readonly name: string;
  readonly valueId: string | null;
  /** null: owned by the instance. */
  readonly workspace: string | null;
}

export function decryptValues(deps: Pick<Deps, 'secretsKey'>, encrypted: Buffer): CredentialValues {
  return JSON.parse(decrypt(deps.secretsKey, encrypted)) as CredentialValues;
}

/** Returns the credential with these values. Only the instance's credentials reach private addresses. */
export function toProviderCredential(
  deps: AccessDeps,
  { id, kind, name, valueId, workspace }: CredentialFacts,
  values: CredentialValues,
): ProviderCredential {
  const isInstance = workspace === null;
  const usesInstanceUrl = isInstance || deps.settings.CREDENTIALS_BASE_URLS === 'instance';
  const baseUrl =
    values.baseUrl ?? (usesInstanceUrl ? getInstanceUrl(deps.settings, kind) : getDefaultUrl(kind)) ?? '';
  const endpoint = { baseUrl, key: values.apiKey ?? '' };
  const isTrusted = isInstance || (usesInstanceUrl && values.baseUrl === undefined);
  return {
    id,
    kind,
    name,
    valueId,
    paidBy: isInstance ? 'credits' : 'credential',
    endpoint,
    fetch: createSend(deps, endpoint, isTrusted),
    // An address that a workspace sets may report any times.
    sharesTimes: isInstance || values.baseUrl === undefined,
  };
}

const getDefaultUrl = (kind: ProviderName): string | undefined =>
  kind === 'comfyui' ? undefined : PROVIDER_URLS[kind];

const BASE_URL_SETTINGS = {
  fal: 'FAL_BASE_URL',
  replicate: 'REPLICATE_BASE_URL',
  openai: 'OPENAI_BASE_URL',
  elevenlabs: 'ELEVENLABS_BASE_URL',
  comfyui: 'COMFYUI_URL',
} as const satisfies Record<ProviderName, keyof Settings>;

const getInstanceUrl = (settings: Settings, kind: ProviderName): string | undefined =>
  settings[BASE_URL_SETTINGS[kind]];

/** Returns the client for the address. Only trusted addresses may be private. */
function createSend({ fetch, providerFetch }: AccessDeps, endpoint: Endpoint, isTrusted: boolean): Send {
  const client = isTrusted ? providerFetch : fetch;
  const { baseUrl } = endpoint;
  const trust = isTrusted && URL.canParse(baseUrl) ? { trustedOrigin: new URL(baseUrl).origin } : {};
  return withoutKeys((url, init) => client.fetch(url, { ...init, ...trust }), endpoint);
}

const ENVIRONMENT_ID = 'cred_environment_';

export const toEnvironmentId = (kind: ProviderName): string => ENVIRONMENT_ID + kind;
export const toEnvironmentName = (kind: ProviderName): string => `${DISPLAY_NAMES[kind]} (environment)`;

/** Returns the credentials of the environment's settings, by kind. */
export function readEnvironment(deps: AccessDeps): ReadonlyMap<ProviderName, ProviderCredential> {
  const providers = readProviders(deps.settings);
  const known = PROVIDER_NAMES.flatMap(kind => {
    const endpoint = providers[kind];
    if (endpoint === undefined) return [];
    const info = {
      id: toEnvironmentId(kind),
      kind,
      name: toEnvironmentName(kind),
      valueId: null,
      paidBy: 'credits',
    } as const;
    return [[kind, { ...info, endpoint, fetch: createSend(deps, endpoint, true) }] as const];
  });
  return new Map(known);
}

/** Returns the kind of an environment's credential by its id. */
export function toEnvironmentKind(id: string): ProviderName | undefined {
  return PROVIDER_NAMES.find(kind => id === ENVIRONMENT_ID + kind);
}
