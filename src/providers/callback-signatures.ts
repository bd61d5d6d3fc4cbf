// Verifies the signatures of providers' webhooks. Callers fetch the keys.
import { createHmac, createPublicKey, type KeyObject, timingSafeEqual, verify } from 'node:crypto';
import { sha256Hex } from '../lib/crypto.ts';
import { asArray, asRecord } from './response.ts';

export interface ProviderCallback {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The exact bytes received. */
  readonly body: Buffer;
  readonly nowMs: number;
}

const TOLERANCE_MS = 300_000;
const SPKI_ED25519 = Buffer.from('302a300506032b6570032100', 'hex');

/** Returns the Ed25519 keys of fal's published key set. */
export function readFalKeys(jwks: unknown): readonly KeyObject[] {
  return asArray(asRecord(jwks).keys).flatMap(entry => {
    const { x } = asRecord(entry);
    const raw = typeof x === 'string' ? Buffer.from(x, 'base64url') : Buffer.alloc(0);
    if (raw.length !== 32) return [];
    return [createPublicKey({ key: Buffer.concat([SPKI_ED25519, raw]), format: 'der', type: 'spki' })];
  });
}

/** Returns whether one of the keys signed the webhook, with a timestamp at most five minutes from now. */
export function isSignedByFal(
  { headers, body, nowMs }: ProviderCallback,
  keys: readonly KeyObject[],
): boolean {
  const names = ['request-id', 'user-id', 'timestamp', 'signature'];
  const [requestId, userId, timestamp, signature] = names.map(name => headers[`x-fal-webhook-${name}`]);
  if (typeof timestamp !== 'string' || typeof signature !== 'string' || !/^[0-9a-f]{128}$/i.test(signature))
    return false;
  if (!isFresh(timestamp, nowMs)) return false;
  const digest = sha256Hex(body);
  const signedBytes = Buffer.from([requestId, userId, timestamp, digest].join('\n'));
  return keys.some(key => verify(null, signedBytes, key, Buffer.from(signature, 'hex')));
}

/**
 * Returns whether the webhook has a valid Standard Webhooks signature by Replicate's secret, with a timestamp at most
 * five minutes from now.
 */
export function isSignedByReplicate({ headers, body, nowMs }: ProviderCallback, secret: string): boolean {
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map(
    name => headers[`webhook-${name}`],
  );
  if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof signatures !== 'string') return false;
  if (!isFresh(timestamp, nowMs)) return false;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();
  return signatures.split(' ').some(candidate => {
    const actual = Buffer.from(candidate.replace(/^v1,/, ''), 'base64');
    return (
      candidate.startsWith('v1,') && actual.length === expected.length && timingSafeEqual(actual, expected)
    );
  });
}

function isFresh(timestamp: string, nowMs: number): boolean {
  return /^\d{1,12}$/.test(timestamp) && Math.abs(nowMs - Number(timestamp) * 1000) <= TOLERANCE_MS;
}
