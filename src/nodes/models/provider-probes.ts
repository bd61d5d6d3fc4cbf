// Checks whether providers respond, with one free request each that requires the key if possible.

import { toHeaders as comfyHeaders } from '../../providers/comfyui.ts';
import { DISPLAY_NAMES, type ProviderName } from '../../providers/names.ts';
import type { Endpoint } from '../../providers/provider.ts';
import { type ProviderSettings, readProviders } from './providers.ts';

interface Probe {
  /** The setting that enables the provider. */
  readonly setting: keyof ProviderSettings;
  readonly path: string;
  readonly headers: (key: string) => Readonly<Record<string, string>>;
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

const PROBES: Readonly<Record<ProviderName, Probe>> = {
  // fal has no free request that checks the key, so any response counts.
  fal: { setting: 'FAL_KEY', path: '/', headers: () => ({}) },
  replicate: { setting: 'REPLICATE_API_TOKEN', path: '/account', headers: bearer },
  openai: { setting: 'OPENAI_API_KEY', path: '/models', headers: bearer },
  elevenlabs: { setting: 'ELEVENLABS_API_KEY', path: '/v1/models', headers: key => ({ 'xi-api-key': key }) },
  comfyui: { setting: 'COMFYUI_URL', path: '/system_stats', headers: comfyHeaders },
};

export interface ProbedProvider {
  readonly name: ProviderName;
  readonly label: string;
  readonly setting: string;
  /** undefined if the provider is not configured. */
  readonly request: { readonly url: string; readonly headers: Readonly<Record<string, string>> } | undefined;
  readonly address: string | undefined;
}

/** Returns every provider, with the probes of those that are configured. */
export function listProbes(settings: ProviderSettings): readonly ProbedProvider[] {
  const configured = readProviders(settings);
  return (Object.entries(PROBES) as [ProviderName, Probe][]).map(([name, { setting, path, headers }]) => {
    const endpoint: Endpoint | undefined = configured[name];
    return {
      name,
      label: DISPLAY_NAMES[name],
      setting,
      address: endpoint?.baseUrl,
      request: endpoint && { url: endpoint.baseUrl + path, headers: headers(endpoint.key) },
    };
  });
}

/** Describes the problem that a status indicates; null if there is none. */
export function describeFault(status: number): string | null {
  if (status === 401 || status === 403) return `The key was rejected (${status}).`;
  if (status >= 500) return `The provider returned an error (${status}).`;
  return null;
}
