// Verifies the signatures of provider webhooks with the keys that the providers publish.
import type { KeyObject } from 'node:crypto';
import { createLru } from '../../lib/lru.ts';
import type { ProviderCallback } from '../../providers/callback-signatures.ts';
import { isSignedByFal, isSignedByReplicate, readFalKeys } from '../../providers/callback-signatures.ts';
import type { ProviderCredential } from '../../providers/credential.ts';
import type { Endpoint } from '../../providers/provider.ts';
import { asNonEmptyText, parseResponseObject } from '../../providers/response.ts';

export const CALLBACK_PROVIDERS = ['fal', 'replicate'] as const;
export type CallbackProvider = (typeof CALLBACK_PROVIDERS)[number];

type Verify = (callback: ProviderCallback) => boolean;

interface KeySource {
  /** Returns the URL of the provider's keys. */
  getRequest(endpoint: Endpoint): {
    readonly url: string;
    readonly headers?: Readonly<Record<string, string>>;
  };
  /** Returns the verifier for these keys, or undefined if the response contains none. */
  read(response: Parameters<typeof parseResponseObject>[0]): Verify | undefined;
}

const FAL_QUEUE = 'https://queue.fal.run';
const FAL_KEYS = 'https://rest.alpha.fal.ai/.well-known/jwks.json';

const SOURCES: Readonly<Record<CallbackProvider, KeySource>> = {
  fal: {
    // A proxy that stands in for fal publishes its own keys.
    getRequest: ({ baseUrl }) => ({
      url: baseUrl === FAL_QUEUE ? FAL_KEYS : `${baseUrl}/.well-known/jwks.json`,
    }),
    read: response => {
      const keys: readonly KeyObject[] = readFalKeys(parseResponseObject(response));
      return keys.length === 0 ? undefined : callback => isSignedByFal(callback, keys);
    },
  },
  replicate: {
    getRequest: ({ baseUrl, key }) => ({
      url: `${baseUrl}/webhooks/default/secret`,
      headers: { authorization: `Bearer ${key}` },
    }),
    read: response => {
      const secret = asNonEmptyText(parseResponseObject(response)?.key);
      return secret === undefined ? undefined : callback => isSignedByReplicate(callback, secret);
    },
  },
};

const MAX_AGE_MS = 3_600_000;
/**
 * A signature that matches no cached key may be from a new key, so the keys are fetched again. They are fetched at most
 * this often, because anyone can send forged signatures.
 */
const MIN_AGE_TO_RENEW_MS = 60_000;
const TIMEOUT_MS = 10_000;
const MAX_BYTES = 65_536;

export interface CallbackKeys {
  /** Returns whether the provider signed the callback for this credential. Rejects if its keys cannot be fetched. */
  isSigned(
    name: CallbackProvider,
    credential: CallbackCredential,
    callback: ProviderCallback,
  ): Promise<boolean>;
}

type CallbackCredential = Pick<ProviderCredential, 'id' | 'valueId' | 'endpoint' | 'fetch'>;

interface CachedKeys {
  readonly verify: Verify | undefined;
  readonly readAtMs: number;
}

/** Creates a verifier that caches the keys of each value of a credential. */
export function createCallbackKeys(now: () => number): CallbackKeys {
  const cache = createLru<CachedKeys>(MAX_CACHED);
  const renew = async (
    name: CallbackProvider,
    { endpoint, fetch }: CallbackCredential,
    key: string,
  ): Promise<Verify | undefined> => {
    const { url, headers } = SOURCES[name].getRequest(endpoint);
    const init = {
      method: 'GET',
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_BYTES,
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(headers === undefined ? {} : { headers }),
    } as const;
    const response = await fetch(url, init);
    if (response.status !== 200)
      throw new Error(`Fetching the keys of ${name} failed with status ${response.status}.`);
    const verify = SOURCES[name].read(response);
    cache.set(key, { verify, readAtMs: now() }, 1);
    return verify;
  };
  return {
    async isSigned(name, credential, callback) {
      const key = credential.valueId ?? credential.id;
      const cached = cache.get(key);
      const ageMs = cached === undefined ? Number.POSITIVE_INFINITY : now() - cached.readAtMs;
      if (ageMs < MAX_AGE_MS && cached?.verify?.(callback) === true) return true;
      if (ageMs < MIN_AGE_TO_RENEW_MS) return false;
      return (await renew(name, credential, key))?.(callback) === true;
    },
  };
}

const MAX_CACHED = 1000;
