// Validates the webhook block of a run, and encrypts its secret.
import { isLoopbackAddress, isLoopbackHost } from '../../lib/addresses.ts';
import { decrypt, encrypt } from '../../lib/crypto.ts';
import { AppError, toError } from '../../lib/errors.ts';
import type { Settings } from '../../lib/settings.ts';
import type { Deps } from '../deps.ts';
import { findSecretProblem } from './webhook-signature.ts';

export interface WebhookTarget {
  readonly url: string;
  readonly secret: string | null;
  /** What the event contains besides its usual fields. */
  readonly include?: readonly WebhookInclude[];
}

export const WEBHOOK_INCLUDES = ['outputs'] as const;
export type WebhookInclude = (typeof WEBHOOK_INCLUDES)[number];

const MAX_URL_CHARS = 2048;
const MAX_SECRET_CHARS = 1024;

/**
 * Returns whether webhooks may call this machine: if the operator allows private addresses, or if the service listens
 * on a loopback address and its BASE_URL is one too.
 */
export function allowsLoopback({ ALLOW_PRIVATE_NETWORK, ROLE, HOST, BASE_URL }: Settings): boolean {
  return (
    ALLOW_PRIVATE_NETWORK ||
    (ROLE === 'all' && isLoopbackAddress(HOST) && isLoopbackHost(new URL(BASE_URL).hostname))
  );
}

/**
 * Validates an untrusted webhook block; undefined if none was sent. `includes` lists what the event can contain on
 * request. Throws 400 `invalid_webhook`.
 */
export function parseWebhook(
  settings: Settings,
  block: unknown,
  includes: readonly WebhookInclude[] = WEBHOOK_INCLUDES,
): WebhookTarget | undefined {
  if (block === undefined) return undefined;
  if (typeof block !== 'object' || block === null || Array.isArray(block))
    throw createInvalidWebhookError('', 'webhook must be an object with a url.');
  const { url, secret, include, ...otherMembers } = block as Record<string, unknown>;
  const [unknownName] = Object.keys(otherMembers);
  if (unknownName !== undefined)
    throw createInvalidWebhookError(
      `/${unknownName}`,
      `webhook has no member ${JSON.stringify(unknownName)}, only url, secret and include.`,
    );
  if (typeof url !== 'string' || url === '')
    throw createInvalidWebhookError('/url', 'webhook.url is required, as a string.');
  if (url.length > MAX_URL_CHARS)
    throw createInvalidWebhookError('/url', `webhook.url is longer than ${MAX_URL_CHARS} characters.`);
  requireWebhookUrl(settings, url);
  if (
    secret !== undefined &&
    secret !== null &&
    (typeof secret !== 'string' || secret.length > MAX_SECRET_CHARS)
  ) {
    throw createInvalidWebhookError(
      '/secret',
      `webhook.secret must be a string of at most ${MAX_SECRET_CHARS} characters.`,
    );
  }
  const problem = findSecretProblem(secret ?? '');
  if (problem !== undefined) throw createInvalidWebhookError('/secret', `webhook.secret ${problem}.`);
  const included = parseInclude(include, includes);
  return {
    url,
    secret: secret === undefined || secret === null || secret === '' ? null : secret,
    ...(included.length === 0 ? {} : { include: included }),
  };
}

function parseInclude(include: unknown, includes: readonly WebhookInclude[]): readonly WebhookInclude[] {
  if (include === undefined || include === null) return [];
  const allowed =
    includes.length === 0
      ? 'webhook.include must be empty: it is for runs only'
      : 'webhook.include must be a list of';
  const isAllowed = (name: unknown): name is WebhookInclude =>
    includes.some(allowedName => allowedName === name);
  if (Array.isArray(include) && include.every(isAllowed)) return [...new Set(include)];
  throw createInvalidWebhookError(
    '/include',
    `${[allowed, ...includes.map(name => JSON.stringify(name))].join(' ')}.`,
  );
}

/** Returns the error of an invalid block, for routes that check it before the rest of the body. */
export function findWebhookError(deps: Pick<Deps, 'settings'>, block: unknown): Error | undefined {
  try {
    parseWebhook(deps.settings, block);
    return undefined;
  } catch (err) {
    return toError(err);
  }
}

function requireWebhookUrl(settings: Settings, text: string): void {
  const url = URL.parse(text);
  if (url === null) throw createInvalidWebhookError('/url', 'webhook.url is not a URL.');
  if (url.username !== '' || url.password !== '')
    throw createInvalidWebhookError('/url', 'webhook.url must not contain a user name or password.');
  const isLocal = isLoopbackHost(url.hostname);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLocal)) {
    throw createInvalidWebhookError('/url', 'webhook.url must be https; plain http is for localhost only.');
  }
  if (isLocal && !allowsLoopback(settings)) {
    throw createInvalidWebhookError('/url', 'webhook.url must not be an address of this machine.');
  }
}

function createInvalidWebhookError(path: string, message: string): AppError {
  return new AppError('invalid_webhook', message, {
    issues: [{ path: `/webhook${path}`, code: 'invalid_webhook', message }],
  });
}

/** Encrypts the secret and returns the text that `executions.webhook` stores. */
export function encryptTarget(deps: Pick<Deps, 'secretsKey'>, target: WebhookTarget): string {
  return JSON.stringify({
    url: target.url,
    secret: target.secret === null ? null : encrypt(deps.secretsKey, target.secret).toString('base64'),
    ...(target.include === undefined ? {} : { include: target.include }),
  });
}

export function decryptSecret(deps: Pick<Deps, 'secretsKey'>, encrypted: Buffer): string {
  return decrypt(deps.secretsKey, encrypted);
}
