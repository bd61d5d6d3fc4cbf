// Creates credentials that calls can use from stored values and from the settings of the environment.
import { isPrivateHost } from '../../lib/addresses.ts';
import { decrypt, shortHash } from '../../lib/crypto.ts';
import { PROVIDER_URLS, type Settings } from '../../lib/settings.ts';
import { readComfyServers, readProviders } from '../../nodes/models/providers.ts';
import type { ProviderCredential } from '../../providers/credential.ts';
import {
  type CredentialKey,
  DISPLAY_NAMES,
  PROVIDER_NAMES,
  type ProviderName,
  toServerKey,
} from '../../providers/names.ts';
import type { Endpoint } from '../../providers/provider.ts';
import { redactKeys } from '../../providers/send.ts';
import type { Deps } from '../deps.ts';
import type { RunCredential, RunCredentials } from './credential.ts';
import { ENVIRONMENT_POOL } from './pools.ts';

/** The secret part of a credential. */
export interface CredentialValues {
  readonly apiKey?: string | undefined;
  readonly baseUrl?: string | undefined;
  /** For ComfyUI: the key of a comfy.org account, for partner nodes. */
  readonly partnerKey?: string | undefined;
}

type AccessDeps = Pick<Deps, 'settings' | 'fetch' | 'providerFetch'>;

export interface CredentialInfo {
  readonly id: string;
  readonly kind: ProviderName;
  readonly name: string;
  readonly valueId: string | null;
  /** Null if the instance owns it. */
  readonly workspace: string | null;
}

export function decryptValues(deps: Pick<Deps, 'secretsKey'>, encrypted: Buffer): CredentialValues {
  return JSON.parse(decrypt(deps.secretsKey, encrypted)) as CredentialValues;
}

/** Returns the credential with these values. Only the instance's credentials reach private addresses. */
export function toProviderCredential(
  deps: AccessDeps,
  { id, kind, name, valueId, workspace }: CredentialInfo,
  values: CredentialValues,
): ProviderCredential {
  const isInstance = workspace === null;
  const usesInstanceUrl = isInstance || deps.settings.CREDENTIALS_BASE_URLS === 'instance';
  const baseUrl =
    values.baseUrl ?? (usesInstanceUrl ? getInstanceUrl(deps.settings, kind) : getDefaultUrl(kind)) ?? '';
  const { apiKey = '', partnerKey } = values;
  const endpoint = { baseUrl, key: apiKey, ...(partnerKey === undefined ? {} : { partnerKey }) };
  const isTrusted = isInstance || (usesInstanceUrl && values.baseUrl === undefined);
  return {
    id,
    kind,
    name,
    valueId,
    paidBy: isInstance ? 'credits' : 'credential',
    endpoint,
    ...createClients(deps, kind, endpoint, isTrusted),
    // A server that a workspace chose may report false durations.
    sharesDurations: isInstance || values.baseUrl === undefined,
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
  [settings[BASE_URL_SETTINGS[kind]] ?? []].flat()[0];

/** Creates what reaches the endpoint. Only a trusted endpoint may have a private address. */
function createClients(
  { fetch, providerFetch }: AccessDeps,
  kind: ProviderName,
  endpoint: Endpoint,
  isTrusted: boolean,
): Pick<ProviderCredential, 'fetch' | 'connect'> {
  const client = isTrusted ? providerFetch : fetch;
  const { baseUrl } = endpoint;
  const trust = isTrusted && URL.canParse(baseUrl) ? { trustedOrigin: new URL(baseUrl).origin } : {};
  const send = redactKeys((url, init) => client.fetch(url, { ...init, ...trust }), endpoint);
  if (kind !== 'comfyui') return { fetch: send };
  return {
    fetch: send,
    connect: (path, request) => client.connect(baseUrl + path, { ...request, ...trust }),
  };
}

/** Returns the credentials of the settings as a run records them: without secrets. */
export function readEnvironment(settings: Settings): RunCredentials {
  const providers = readProviders(settings);
  const kinds = PROVIDER_NAMES.filter(kind => providers[kind] !== undefined);
  return new Map<CredentialKey, RunCredential>([
    ...kinds.map(kind => [kind, createEnvironment(kind, DISPLAY_NAMES[kind])] as const),
    ...settings.OPENAI_SERVERS.map(({ name, baseUrl }) => {
      const server = { id: `cred_environment_openai_${name}`, server: name, isFree: isPrivateUrl(baseUrl) };
      return [toServerKey(name), { ...createEnvironment('openai', name), ...server }] as const;
    }),
  ]);
}

const createEnvironment = (kind: ProviderName, name: string): RunCredential => ({
  id: getEnvironmentCredentialId(kind),
  kind,
  name: `${name} (environment)`,
  paidBy: 'credits',
  dailyUsdLimit: null,
  source: 'environment',
  valueId: null,
  server: null,
  serves: null,
  isFree: false,
  pool: kind === 'comfyui' ? ENVIRONMENT_POOL : null,
});

/** Returns whether the URL has a private host by its name. */
export function isPrivateUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && isPrivateHost(url.hostname);
}

/** Returns the credentials of the settings as calls use them: with endpoint and client. */
export function openEnvironment(deps: AccessDeps): ReadonlyMap<CredentialKey, ProviderCredential> {
  const providers = readProviders(deps.settings);
  const opened = [...readEnvironment(deps.settings)].flatMap(([key, credential]) => {
    const endpoint = providers[key];
    return endpoint === undefined ? [] : [[key, openTrusted(deps, credential, endpoint)] as const];
  });
  return new Map(opened);
}

function openTrusted(
  deps: AccessDeps,
  { id, kind, name, paidBy, valueId }: RunCredential,
  endpoint: Endpoint,
): ProviderCredential {
  return { id, kind, name, paidBy, valueId, endpoint, ...createClients(deps, kind, endpoint, true) };
}

/** Returns the ComfyUI servers of the settings as runs record them. The first is the one of `readEnvironment`. */
export function readComfyEnvironment(settings: Settings): readonly RunCredential[] {
  return (settings.COMFYUI_URL ?? []).map((url, index) => ({
    ...createEnvironment('comfyui', index === 0 ? DISPLAY_NAMES.comfyui : new URL(url).host),
    id: toComfyServerId(url, index),
  }));
}

/** Returns the ComfyUI servers of the settings by id, with endpoint and client. */
export function openComfyEnvironment(deps: AccessDeps): ReadonlyMap<string, ProviderCredential> {
  const endpoints = readComfyServers(deps.settings);
  const opened = readComfyEnvironment(deps.settings).flatMap((server, index) => {
    const endpoint = endpoints[index];
    return endpoint === undefined ? [] : [[server.id, openTrusted(deps, server, endpoint)] as const];
  });
  return new Map(opened);
}

/** The order of the URLs may change, so all but the first are identified by their address. */
const toComfyServerId = (url: string, index: number): string =>
  index === 0
    ? getEnvironmentCredentialId('comfyui')
    : `${getEnvironmentCredentialId('comfyui')}_${shortHash(url)}`;

/** Returns the id of the provider's credential in the settings. */
export const getEnvironmentCredentialId = (kind: string): string => `cred_environment_${kind}`;
