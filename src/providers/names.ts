// Lists the providers and their names for users.

export const PROVIDER_NAMES = ['fal', 'replicate', 'openai', 'elevenlabs', 'comfyui'] as const;
export type ProviderName = (typeof PROVIDER_NAMES)[number];

/** The names of the providers as users know them. */
export const DISPLAY_NAMES: Readonly<Record<ProviderName, string>> = {
  fal: 'fal',
  replicate: 'Replicate',
  openai: 'OpenAI',
  elevenlabs: 'ElevenLabs',
  comfyui: 'ComfyUI',
};

/** What servers that speak OpenAI's protocol can do, each by a route of its own. */
export const SERVER_ROUTES = ['chat', 'images', 'speech', 'transcriptions', 'embeddings'] as const;
export type ServerRoute = (typeof SERVER_ROUTES)[number];

/** Identifies a credential of a run: the provider's default one, or the named server of the kind `openai`. */
export type CredentialKey = ProviderName | `openai/${string}`;

const SERVER_PREFIX = 'openai/';

export const toServerKey = (server: string): CredentialKey => `${SERVER_PREFIX}${server}`;

/** Returns the name of the server, or undefined for the key of a default credential. */
export const findServerName = (key: string): string | undefined =>
  key.startsWith(SERVER_PREFIX) ? key.slice(SERVER_PREFIX.length) : undefined;

/** Returns the name of the provider without the server. */
export const toProviderName = <K extends string>(key: K): Exclude<K, `openai/${string}`> =>
  (findServerName(key) === undefined ? key : 'openai') as Exclude<K, `openai/${string}`>;

/** Returns the provider's name for users, or undefined if there is no provider with this name. */
export const findDisplayName = (name: string): string | undefined =>
  (DISPLAY_NAMES as Readonly<Record<string, string>>)[name];
