// Signs webhooks as fal does: ED25519 over the request id, the user id, the timestamp and the body's digest, one per
// line.
import { createHash, type KeyObject, randomUUID, sign } from 'node:crypto';

/** The headers that fal would send with the body at that time. */
export function signFalHook(body: string, key: KeyObject, atMs = Date.now()): Record<string, string> {
  const [request, person, timestamp] = [randomUUID(), 'person', String(Math.floor(atMs / 1000))];
  const digest = createHash('sha256').update(body).digest('hex');
  const signature = sign(null, Buffer.from([request, person, timestamp, digest].join('\n')), key);
  return {
    'content-type': 'application/json',
    'x-fal-webhook-request-id': request,
    'x-fal-webhook-user-id': person,
    'x-fal-webhook-timestamp': timestamp,
    'x-fal-webhook-signature': signature.toString('hex'),
  };
}
