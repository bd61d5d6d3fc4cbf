// Hashes, keyed signatures, minted keys and sealed secrets: the few shapes of node:crypto that the service uses.
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

export function sha256(data: string | Uint8Array): Buffer {
  return createHash('sha256').update(data).digest();
}

export function sha256Hex(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}

export function hmacSha256Hex(key: string | Uint8Array, data: string | Uint8Array): string {
  return createHmac('sha256', key).update(data).digest('hex');
}

/** Whether two texts are equal, in a time that tells neither where they differ nor how long the secret one is. */
export function safeEqual(a: string, b: string): boolean {
  return timingSafeEqual(sha256(a), sha256(b));
}

/** A new API key: `sk-` and 256 random bits in base64url. */
export function mintApiKey(): string {
  return `sk-${randomBytes(32).toString('base64url')}`;
}

// Sealed text: version (1 byte), nonce (12), tag (16), ciphertext. The version is authenticated too.
const VERSION = Buffer.from([1]);
const NONCE_END = 13;
const HEADER_BYTES = 29;

/** Encrypts a text with AES-256-GCM under a random nonce; the key is 32 bytes. */
export function seal(key: Uint8Array, text: string): Buffer {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(VERSION);
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([VERSION, nonce, cipher.getAuthTag(), sealed]);
}

/** The text that `seal` was given. Throws where the key is another or any byte was changed. */
export function open(key: Uint8Array, sealed: Uint8Array): string {
  if (sealed.length < HEADER_BYTES || sealed[0] !== VERSION[0])
    throw new Error('The sealed secret has an unknown form.');
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(1, NONCE_END), { authTagLength: 16 });
  decipher.setAAD(VERSION).setAuthTag(sealed.subarray(NONCE_END, HEADER_BYTES));
  try {
    return decipher.update(sealed.subarray(HEADER_BYTES), undefined, 'utf8') + decipher.final('utf8');
  } catch (err) {
    throw new Error(
      'The sealed secret cannot be opened: SECRETS_KEY is not the one it was sealed with, or it was altered.',
      { cause: err },
    );
  }
}
