// Creates challenges for anonymous visitors and checks their proofs of work. Each proof is valid for one run of one app, or
// for one upload to it.
import { createChallenge, extractParams, verifySolution } from 'altcha-lib';
import type { Payload } from 'altcha-lib/types';
import { hmacSha256Hex } from '../lib/crypto.ts';
import { AppError } from '../lib/errors.ts';
import type { Deps } from '../services/deps.ts';
import { type AppRow, recordProofOfWork } from './store/apps.ts';

/** The limit below which the solution lies. A phone finds it in about a second. */
const MAX_NUMBER = 100_000;
const LIFETIME_MS = 600_000;
const ALGORITHM = 'SHA-256';
const MAX_PROOF_LENGTH = 2000;

/** Derives a key for each app, so that a proof is valid for one app only. */
const deriveKey = ({ secretsKey }: Pick<Deps, 'secretsKey'>, { id }: AppRow): string =>
  hmacSha256Hex(secretsKey, `app proof of work ${id}`);

/** Returns a challenge that is valid for ten minutes. */
export function createAppChallenge(deps: Pick<Deps, 'secretsKey' | 'now'>, app: AppRow) {
  return createChallenge({
    algorithm: ALGORITHM,
    hmacKey: deriveKey(deps, app),
    maxnumber: MAX_NUMBER,
    expires: new Date(deps.now() + LIFETIME_MS),
  });
}

/** Throws 403 `invalid_proof` unless the proof solves a challenge of this app and was never used. */
export async function requireProof(
  deps: Pick<Deps, 'secretsKey' | 'now' | 'db'>,
  app: AppRow,
  proof: string | undefined,
): Promise<void> {
  const payload = parseProof(proof);
  const expiresAtMs = payload === undefined ? 0 : Number(extractParams(payload).expires) * 1000;
  const nowMs = deps.now();
  const isSolved =
    payload !== undefined &&
    expiresAtMs > nowMs &&
    expiresAtMs <= nowMs + LIFETIME_MS &&
    (await verifySolution(payload, deriveKey(deps, app), false));
  if (isSolved && (await recordProofOfWork(deps.db, payload.challenge, new Date(expiresAtMs)))) return;
  throw new AppError(
    'invalid_proof',
    'Get a challenge from GET /apps/{slug}/challenge, solve it, and send the solution as proof. A solution is valid for ten minutes, and for one run or one upload.',
  );
}

function parseProof(proof: string | undefined): Payload | undefined {
  if (proof === undefined || proof.length > MAX_PROOF_LENGTH) return undefined;
  try {
    const value = JSON.parse(Buffer.from(proof, 'base64').toString()) as Payload;
    const { algorithm, challenge, number, salt, signature } = value;
    const isComplete = [challenge, salt, signature].every(text => typeof text === 'string');
    return isComplete && algorithm === ALGORITHM && Number.isSafeInteger(number) ? value : undefined;
  } catch {
    return undefined;
  }
}
