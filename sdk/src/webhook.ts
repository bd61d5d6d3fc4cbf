// Verifies that a webhook comes from the service and is recent. Uses only WebCrypto, so that it works in every runtime.
import { WebhookVerificationError } from './errors.ts';
import type { CompletionEvent } from './types.ts';

export interface WebhookToVerify {
  /** The raw bytes of the body, before any parser. Text is encoded as UTF-8. */
  readonly body: Uint8Array | ArrayBuffer | string;
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The `webhook.secret` of the run, or several secrets during a rotation. */
  readonly secret: string | readonly string[];
  /**
   * `standard` (the default) verifies the headers `webhook-id`, `webhook-timestamp` and `webhook-signature`. `body`
   * verifies `X-Service-Signature`, which has no timestamp, so a replayed delivery is accepted.
   */
  readonly form?: 'standard' | 'body';
  /** The maximum difference between the timestamp and now. Default: 300. */
  readonly toleranceSeconds?: number;
}

type Bytes = Uint8Array<ArrayBuffer>;

/** The signed data, the received signatures, and how a secret becomes a key. */
interface SignedContent {
  readonly data: Bytes;
  readonly signatures: readonly Bytes[];
  readonly toKey: (secret: string) => Bytes;
}

/** Returns the event if its signature is valid. Otherwise throws a WebhookVerificationError: respond with 400. */
export async function verifyWebhook(webhook: WebhookToVerify): Promise<CompletionEvent> {
  const body = toBytes(webhook.body);
  const header = createHeaderReader(webhook.headers);
  const signedContent =
    webhook.form === 'body'
      ? readBodyForm(body, header)
      : readStandardForm(body, header, webhook.toleranceSeconds ?? 300);
  const secrets = typeof webhook.secret === 'string' ? [webhook.secret] : webhook.secret;
  if (!(await isSigned(signedContent, secrets)))
    throw new WebhookVerificationError(
      'The signature does not match the body. Check the secret, and pass the raw body.',
    );
  try {
    return JSON.parse(new TextDecoder().decode(body)) as CompletionEvent;
  } catch (cause) {
    throw new WebhookVerificationError('The body is signed but is not JSON.', { cause });
  }
}

type HeaderReader = (name: string) => string;

function createHeaderReader(headers: WebhookToVerify['headers']): HeaderReader {
  const find = headers instanceof Headers ? (name: string) => headers.get(name) : createHeaderLookup(headers);
  return name => {
    const value = find(name);
    if (typeof value !== 'string') throw new WebhookVerificationError(`The header ${name} is missing.`);
    return value;
  };
}

function createHeaderLookup(headers: Readonly<Record<string, unknown>>): (name: string) => unknown {
  const lower = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return name => lower.get(name);
}

/** During a key rotation, the header contains several signatures. One of them must be valid. */
const MAX_SIGNATURES = 16;

function readStandardForm(body: Bytes, header: HeaderReader, toleranceSeconds: number): SignedContent {
  const timestamp = header('webhook-timestamp');
  const ageSeconds = Math.abs(
    Date.now() / 1000 - (/^\d{1,15}$/.test(timestamp) ? Number(timestamp) : Number.NaN),
  );
  if (!(ageSeconds <= toleranceSeconds))
    throw new WebhookVerificationError(
      `The timestamp ${timestamp} of the webhook is too far from the current time.`,
    );
  return {
    data: concat(encode(`${header('webhook-id')}.${timestamp}.`), body),
    signatures: header('webhook-signature')
      .split(' ', MAX_SIGNATURES)
      .flatMap(part => (part.startsWith('v1,') ? decodeBase64(part.slice(3)) : [])),
    toKey: secret =>
      secret.startsWith('whsec_') ? (decodeBase64(secret.slice(6))[0] ?? encode('')) : encode(secret),
  };
}

function readBodyForm(body: Bytes, header: HeaderReader): SignedContent {
  const hex = /^sha256=((?:[0-9a-f]{2})+)$/i.exec(header('x-service-signature'))?.[1] ?? '';
  return {
    data: body,
    signatures: [Uint8Array.from(hex.match(/../g) ?? [], pair => Number.parseInt(pair, 16))],
    toKey: encode,
  };
}

/**
 * Returns whether one of the signatures was made with one of the secrets. `subtle.verify` compares in constant time.
 */
async function isSigned(
  { data, signatures, toKey }: SignedContent,
  secrets: readonly string[],
): Promise<boolean> {
  let isValid = false;
  for (const secret of secrets) {
    const bytes = toKey(secret);
    // Anybody can sign with an empty key.
    if (bytes.length === 0) continue;
    const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, [
      'verify',
    ]);
    for (const signature of signatures)
      isValid = (await crypto.subtle.verify('HMAC', key, signature, data)) || isValid;
  }
  return isValid;
}

function toBytes(body: WebhookToVerify['body']): Bytes {
  return typeof body === 'string' ? encode(body) : new Uint8Array(body);
}

function encode(text: string): Bytes {
  return new Uint8Array(new TextEncoder().encode(text));
}

function concat(head: Bytes, tail: Bytes): Bytes {
  const joined = new Uint8Array(head.length + tail.length);
  joined.set(head);
  joined.set(tail, head.length);
  return joined;
}

/** Returns an empty list if the text is not base64. */
function decodeBase64(text: string): Bytes[] {
  try {
    return [Uint8Array.from(atob(text), char => char.charCodeAt(0))];
  } catch {
    return [];
  }
}
