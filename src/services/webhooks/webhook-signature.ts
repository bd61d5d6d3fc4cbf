// Signs webhook deliveries in our own format and as Standard Webhooks, as documented in docs/api.md (Webhooks).
import { createHmac } from 'node:crypto';
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
  const signed = createHmac('sha256', toStandardKey(secret)).update(`${eventId}.${timestampSeconds}.${body}`);
  return {
    'X-Service-Signature': `sha256=${hmacSha256Hex(secret, body)}`,
    'webhook-id': eventId,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': `v1,${signed.digest('base64')}`,
  };
}

const STANDARD_PREFIX = 'whsec_';

function toStandardKey(secret: string): Buffer {
  return secret.startsWith(STANDARD_PREFIX)
    ? Buffer.from(secret.slice(STANDARD_PREFIX.length), 'base64')
    : Buffer.from(secret, 'utf8');
}
