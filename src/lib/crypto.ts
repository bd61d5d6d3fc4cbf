// Wraps node:crypto: hashes, signatures, API keys and encrypted secrets.
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

/** Returns the first 132 bits of the SHA-256 in base64url, for ETags. */
export function shortHash(data: string | Uint8Array): string {
  return sha256(data).toString('base64url').slice(0, 22);
}

export function hmacSha256Hex(key: string | Uint8Array, data: string | Uint8Array): string {
  return createHmac('sha256', key).update(data).digest('hex');
}

/** Compares two texts in constant time with respect to their difference and the length of the secret one. */
export function safeEqual(a: string, b: string): boolean {
  return timingSafeEqual(sha256(a), sha256(b));
}

/** Creates a secret that nobody can guess: 256 random bits in base64url, 43 characters. */
export function generateToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Creates an API key: `sk-` and a token. */
export function generateApiKey(): string {
  return `sk-${generateToken()}`;
}

// Ciphertext layout: version (1 byte), nonce (12), tag (16), ciphertext. The version is authenticated too.
const VERSION = Buffer.from([1]);
const NONCE_END = 13;
const HEADER_BYTES = 29;

/** Encrypts a text with AES-256-GCM and a random nonce; the key is 32 bytes. */
export function encrypt(key: Uint8Array, text: string): Buffer {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(VERSION);
  const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([VERSION, nonce, cipher.getAuthTag(), encrypted]);
}

/** Decrypts a text. Throws if the key is wrong or any byte was changed. */
export function decrypt(key: Uint8Array, encrypted: Uint8Array): string {
  if (encrypted.length < HEADER_BYTES || encrypted[0] !== VERSION[0])
    throw new Error('The encrypted secret has an unknown format.');
  const decipher = createDecipheriv('aes-256-gcm', key, encrypted.subarray(1, NONCE_END), {
    authTagLength: 16,
  });
  decipher.setAAD(VERSION).setAuthTag(encrypted.subarray(NONCE_END, HEADER_BYTES));
  try {
    return decipher.update(encrypted.subarray(HEADER_BYTES), undefined, 'utf8') + decipher.final('utf8');
  } catch (err) {
    throw new Error(
      'The secret cannot be decrypted: SECRETS_KEY is not the key that encrypted it, or it was altered.',
      { cause: err },
    );
  }
}

/** Decrypts a text. Returns undefined where `decrypt` throws, which happens after the secrets key was lost. */
export function tryDecrypt(key: Uint8Array, encrypted: Uint8Array): string | undefined {
  try {
    return decrypt(key, encrypted);
  } catch {
    return undefined;
  }
}
