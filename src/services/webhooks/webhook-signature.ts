// Signs webhook deliveries in the service's own format and as Standard Webhooks (docs/api.md, Webhooks), and checks the
// Standard Webhooks signatures of incoming requests.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { hmacSha256Hex } from '../../lib/crypto.ts';

export interface WebhookToSign {
  readonly secret: string;
  /** The exact bytes that are sent. */
  readonly body: string;
  readonly eventId: string;
  readonly timestampSeconds: number;
}

/** Returns the signature headers of a delivery: the hex HMAC of the body, and the Standard Webhooks triple. */
export function signWebhook({
  secret,
  body,
  eventId,
  timestampSeconds,
}: WebhookToSign): Readonly<Record<string, string>> {
  return {
    'X-Service-Signature': `sha256=${hmacSha256Hex(secret, body)}`,
    'webhook-id': eventId,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': `v1,${signStandard(secret, `${eventId}.${timestampSeconds}.`, body).toString('base64')}`,
  };
}

function signStandard(secret: string, prefix: string, body: string | Buffer): Buffer {
  return createHmac('sha256', toStandardKey(secret)).update(prefix).update(body).digest();
}

const TOLERANCE_MS = 300_000;

export interface SignedRequest {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The exact bytes received. */
  readonly body: Buffer;
  readonly nowMs: number;
}

/** Returns what is wrong with the Standard Webhooks signature of a request; undefined if it is valid. */
export function findSignatureError(
  { headers, body, nowMs }: SignedRequest,
  secret: string,
): string | undefined {
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map(
    name => headers[`webhook-${name}`],
  );
  if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof signatures !== 'string')
    return 'The request had no signature: webhook-id, webhook-timestamp or webhook-signature was missing.';
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(nowMs - Number(timestamp) * 1000) > TOLERANCE_MS)
    return 'The webhook-timestamp of the request was more than five minutes off.';
  const expected = signStandard(secret, `${id}.${timestamp}.`, body);
  const isSigned = signatures.split(' ').some(candidate => {
    const actual = Buffer.from(candidate.replace(/^v1,/, ''), 'base64');
    return (
      candidate.startsWith('v1,') && actual.length === expected.length && timingSafeEqual(actual, expected)
    );
  });
  return isSigned ? undefined : 'The webhook-signature of the request did not match its body and the secret.';
}

const STANDARD_PREFIX = 'whsec_';
/** Standard Webhooks asks for 24 to 64 bytes. */
const MIN_KEY_BYTES = 24;

/** Returns what is wrong with a secret in the form of Standard Webhooks. Other secrets are used as they are. */
export function findSecretProblem(secret: string): string | undefined {
  if (!secret.startsWith(STANDARD_PREFIX)) return undefined;
  const isBase64 = /^(?:[A-Za-z\d+/]{4})*(?:[A-Za-z\d+/]{2}==|[A-Za-z\d+/]{3}=)?$/.test(
    secret.slice(STANDARD_PREFIX.length),
  );
  return isBase64 && toStandardKey(secret).length >= MIN_KEY_BYTES
    ? undefined
    : `must have the base64 of at least ${MIN_KEY_BYTES} bytes after ${STANDARD_PREFIX}`;
}

function toStandardKey(secret: string): Buffer {
  return secret.startsWith(STANDARD_PREFIX)
    ? Buffer.from(secret.slice(STANDARD_PREFIX.length), 'base64')
    : Buffer.from(secret, 'utf8');
}
