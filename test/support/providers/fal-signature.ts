// fal's signature of its hooks: ED25519 over the request's id, the person's, the time and the body's digest, by lines.
import { createHash, type KeyObject, randomUUID, sign } from 'node:crypto';

/** The headers of a hook that fal sends with that body at that time. */
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
