// Hashes passwords with Argon2id on the thread pool, and leaves one processor core to the rest of the service.
import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import { createLimiter } from '../../lib/limiter.ts';

const MEMORY_KB = 19_456;
const PASSES = 2;
const SALT_BYTES = 16;
const TAG_BYTES = 32;
/** A hash takes about 25 ms, so the last call in the queue waits for a few seconds at most. */
const MAX_WAITING = 100;

const PHC =
  /^\$argon2id\$v=19\$m=(?<memory>\d{1,7}),t=(?<passes>\d{1,2}),p=(?<parallelism>\d{1,2})\$(?<salt>[\w+/-]{11,86})\$(?<tag>[\w+/-]{22,86})$/;

// One limiter per process, since the processes share the cores.
const limit = createLimiter({
  concurrency: Math.max(1, availableParallelism() - 1),
  maxWaiting: MAX_WAITING,
});
const deriveKey = promisify(argon2);

const derive = (parameters: Argon2Parameters, signal: AbortSignal): Promise<Buffer> =>
  limit(() => deriveKey('argon2id', parameters), signal);

/** Normalizes the password, because keyboards may produce different code points for the same letters. */
const toBytes = (password: string): Buffer => Buffer.from(password.normalize('NFKC'));

const base64 = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');

const formatHash = (salt: Buffer, tag: Buffer): string =>
  `$argon2id$v=19$m=${MEMORY_KB},t=${PASSES},p=1$${base64(salt)}$${base64(tag)}`;

/** The hash that is verified if the account has no password, so that the response takes the same time. */
const DUMMY_HASH = formatHash(randomBytes(SALT_BYTES), randomBytes(TAG_BYTES));

/** Returns a PHC string. Throws `unavailable` if too many calls wait, and the signal's reason if it is aborted. */
export async function hashPassword(password: string, signal: AbortSignal): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const tag = await derive(
    {
      message: toBytes(password),
      nonce: salt,
      parallelism: 1,
      tagLength: TAG_BYTES,
      memory: MEMORY_KB,
      passes: PASSES,
    },
    signal,
  );
  return formatHash(salt, tag);
}

/**
 * Returns whether the password matches the PHC string. Without a string, returns false after the same time. Throws like
 * `hashPassword`.
 */
export async function verifyPassword(
  phc: string | undefined,
  password: string,
  signal: AbortSignal,
): Promise<boolean> {
  const parts = PHC.exec(phc ?? DUMMY_HASH)?.groups;
  if (parts === undefined) throw new Error('A stored password has an unknown format.');
  const expected = Buffer.from(parts.tag ?? '', 'base64');
  const tag = await derive(
    {
      message: toBytes(password),
      nonce: Buffer.from(parts.salt ?? '', 'base64'),
      parallelism: Number(parts.parallelism),
      tagLength: expected.length,
      memory: Number(parts.memory),
      passes: Number(parts.passes),
    },
    signal,
  );
  return timingSafeEqual(tag, expected) && phc !== undefined;
}
