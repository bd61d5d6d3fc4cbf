// Checks time-based one-time passwords (RFC 6238): six digits for each 30 s, with one step of clock drift.
import { randomBytes } from 'node:crypto';
import { encrypt, tryDecrypt } from '../../lib/crypto.ts';
import { AppError } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import type { Tx } from '../../store/db.ts';
import type { Deps } from '../deps.ts';
import { confirmTotp, findTotp, spendTotpStep, upsertPendingTotp } from './store.ts';

type TotpDeps = Pick<Deps, 'secretsKey' | 'now'>;

const PERIOD_S = 30;
/** The length that RFC 4226 recommends. */
const SECRET_BYTES = 20;

/** A secret for an authenticator app, in base 32 and as the URI of a QR code. */
export interface TotpSetup {
  readonly secret: string;
  readonly uri: string;
}

/** Creates a secret, which replaces the current one once a code confirms it. */
export async function createTotp(
  tx: Tx,
  { secretsKey, now }: TotpDeps,
  userId: number,
  { issuer, label }: { readonly issuer: string; readonly label: string },
): Promise<TotpSetup> {
  const { Secret, TOTP } = await import('otpauth');
  const secret = new Secret({ buffer: new Uint8Array(randomBytes(SECRET_BYTES)).buffer });
  await upsertPendingTotp(tx, {
    id: newId('totp', now()),
    user_id: userId,
    pending: encrypt(secretsKey, secret.base32),
  });
  return { secret: secret.base32, uri: new TOTP({ issuer, label, secret }).toString() };
}

/** Makes the new secret the current one if the code is right. Throws 409 if the service can no longer read the secret. */
export async function confirmNewTotp(tx: Tx, deps: TotpDeps, userId: number, code: string): Promise<boolean> {
  const pending = (await findTotp(tx, userId))?.pending;
  if (pending === null || pending === undefined) return false;
  const step = await findStep(deps, pending, code);
  return step !== undefined && confirmTotp(tx, userId, pending, step);
}

/** Uses a code. Returns whether it was right and not used before. Throws 409 if the service can no longer read the secret. */
export async function spendTotpCode(tx: Tx, deps: TotpDeps, userId: number, code: string): Promise<boolean> {
  const secret = (await findTotp(tx, userId))?.secret;
  if (secret === null || secret === undefined) return false;
  const step = await findStep(deps, secret, code);
  return step !== undefined && spendTotpStep(tx, userId, secret, step);
}

/** Returns the time step whose code this is; undefined if it is none of the current, the previous and the next one. */
async function findStep(
  { secretsKey, now }: TotpDeps,
  encrypted: Buffer,
  code: string,
): Promise<number | undefined> {
  const secret = tryDecrypt(secretsKey, encrypted);
  if (secret === undefined) throw createUnreadableError();
  const { Secret, TOTP } = await import('otpauth');
  const totp = new TOTP({ secret: Secret.fromBase32(secret), period: PERIOD_S });
  const delta = totp.validate({ token: code.replaceAll(' ', ''), timestamp: now(), window: 1 });
  return delta === null ? undefined : totp.counter({ timestamp: now() }) + delta;
}

/** The key that encrypted the secret was lost, and the operator has run `graphwright secrets reset`. */
const createUnreadableError = (): AppError =>
  new AppError(
    'conflict',
    'This service can no longer check codes of your authenticator app. Use a passkey or a recovery code, then set up the app again at Settings → Security. If you have neither, ask an administrator to remove your second factor.',
  );
