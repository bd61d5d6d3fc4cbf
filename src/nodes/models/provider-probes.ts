// Defines a probe for each provider: a free request that succeeds only with a valid key, so it checks the credential.
import { toHeaders as comfyHeaders } from '../../providers/comfyui.ts';
import { DISPLAY_NAMES, type ProviderName } from '../../providers/names.ts';
import { toOpenAiHeaders } from '../../providers/openai.ts';
import type { Endpoint } from '../../providers/provider.ts';
import {
  asNonEmptyText,
  asRecord,
  type ProviderResponse,
  parseResponseObject,
} from '../../providers/response.ts';
import type { ProviderSettings } from './providers.ts';

interface Probe {
  /** The setting that enables the provider. */
  readonly setting: keyof ProviderSettings;
  readonly path: string;
  readonly headers: (key: string) => Readonly<Record<string, string>>;
  /** Returns the name of the account that owns the key, if the response contains the name. */
  readonly readAccount?: (body: ReturnType<typeof asRecord>) => string | undefined;
  /** Statuses that show that the key was accepted, although the request failed. */
  readonly accepted?: readonly number[];
}

const toBearerHeaders = (key: string) => ({ authorization: `Bearer ${key}` });

const PROBES: Readonly<Record<ProviderName, Probe>> = {
  // fal checks the key before it looks for the request, which does not exist.
  fal: {
    setting: 'FAL_KEY',
    path: '/fal-ai/flux/requests/00000000-0000-0000-0000-000000000000/status',
    headers: key => ({ authorization: `Key ${key}` }),
    accepted: [400, 404, 405, 410, 422],
  },
  replicate: {
    setting: 'REPLICATE_API_TOKEN',
    path: '/account',
    headers: toBearerHeaders,
    readAccount: ({ username }) => asNonEmptyText(username),
  },
  openai: { setting: 'OPENAI_API_KEY', path: '/models', headers: toOpenAiHeaders },
  elevenlabs: { setting: 'ELEVENLABS_API_KEY', path: '/v1/models', headers: key => ({ 'xi-api-key': key }) },
  comfyui: { setting: 'COMFYUI_URL', path: '/system_stats', headers: comfyHeaders },
};

export interface ProbeRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Returns the setting that enables the provider. */
export const getProviderSetting = (name: ProviderName): string => PROBES[name].setting;

export function getProbe(name: ProviderName, { baseUrl, key }: Endpoint): ProbeRequest {
  const { path, headers } = PROBES[name];
  return { url: baseUrl + path, headers: headers(key) };
}

export interface ProbeResult {
  /** A sentence that says what is wrong, or null if the provider accepted the key. */
  readonly error: string | null;
  readonly account?: string;
}

/** Returns what the response to a probe says about the credential. */
export function readProbe(name: ProviderName, response: ProviderResponse): ProbeResult {
  const { status } = response;
  const { readAccount, accepted = [] } = PROBES[name];
  if (status === 401 || status === 403) return { error: `The key was rejected (${status}).` };
  if (status === 402) return { error: 'The provider requires a payment first (402).' };
  if (status === 429) return { error: 'The provider limits requests at the moment (429). Try again later.' };
  if (status >= 500) return { error: `The provider returned an error (${status}).` };
  if (status >= 300 && !accepted.includes(status))
    return { error: `The address does not respond like ${DISPLAY_NAMES[name]} (${status}).` };
  const accountName = readAccount?.(asRecord(parseResponseObject(response)))?.slice(0, MAX_ACCOUNT_LENGTH);
  return { error: null, ...(accountName === undefined ? {} : { account: accountName }) };
}

const MAX_ACCOUNT_LENGTH = 100;
