// Reads from the settings which providers are configured.
import type { Settings } from '../../lib/settings.ts';
import { type CredentialKey, type ProviderName, toServerKey } from '../../providers/names.ts';
import type { Endpoint } from '../../providers/provider.ts';

/** The endpoints of the configured providers and named servers. */
export type Providers = Readonly<Partial<Record<CredentialKey, Endpoint>>> & {
  /** A local speech engine: text on stdin, WAV on stdout. */
  readonly speechCommand?: string;
};

export type ProviderSettings = Pick<
  Settings,
  | 'FAL_KEY'
  | 'FAL_BASE_URL'
  | 'REPLICATE_API_TOKEN'
  | 'REPLICATE_BASE_URL'
  | 'OPENAI_API_KEY'
  | 'OPENAI_BASE_URL'
  | 'OPENAI_SERVERS'
  | 'ELEVENLABS_API_KEY'
  | 'ELEVENLABS_BASE_URL'
  | 'COMFYUI_URL'
  | 'COMFYUI_AUTH'
  | 'COMFY_ORG_API_KEY'
  | 'SPEECH_COMMAND'
>;

export function readProviders(settings: ProviderSettings): Providers {
  const { SPEECH_COMMAND } = settings;
  return {
    ...toProviders('fal', settings.FAL_BASE_URL, settings.FAL_KEY),
    ...toProviders('replicate', settings.REPLICATE_BASE_URL, settings.REPLICATE_API_TOKEN),
    ...toProviders('openai', settings.OPENAI_BASE_URL, settings.OPENAI_API_KEY),
    ...toProviders('elevenlabs', settings.ELEVENLABS_BASE_URL, settings.ELEVENLABS_API_KEY),
    ...Object.fromEntries(
      settings.OPENAI_SERVERS.map(({ name, baseUrl }) => [toServerKey(name), { baseUrl, key: '' }]),
    ),
    ...toComfyUi(settings),
    ...(SPEECH_COMMAND === undefined ? {} : { speechCommand: SPEECH_COMMAND }),
  };
}

/** Returns the endpoint of the first ComfyUI server. */
function toComfyUi(settings: ProviderSettings): Providers {
  const [comfyui] = readComfyServers(settings);
  return comfyui === undefined ? {} : { comfyui };
}

/** Returns the endpoints of the ComfyUI servers. ComfyUI has no keys, so a URL alone enables it. */
export function readComfyServers({
  COMFYUI_URL = [],
  COMFYUI_AUTH = '',
  COMFY_ORG_API_KEY,
}: Pick<ProviderSettings, 'COMFYUI_URL' | 'COMFYUI_AUTH' | 'COMFY_ORG_API_KEY'>): readonly Endpoint[] {
  const partner = COMFY_ORG_API_KEY === undefined ? {} : { partnerKey: COMFY_ORG_API_KEY };
  return COMFYUI_URL.map(baseUrl => ({ baseUrl, key: COMFYUI_AUTH, ...partner }));
}

function toProviders(name: ProviderName, baseUrl: string | undefined, key: string | undefined): Providers {
  return baseUrl === undefined || key === undefined ? {} : { [name]: { baseUrl, key } };
}
