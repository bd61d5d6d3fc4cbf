// Creates and checks recovery codes, each of which replaces a lost second factor once.
import { randomBytes } from 'node:crypto';
import { sha256 } from '../../lib/crypto.ts';
import type { Tx } from '../../store/db.ts';
import { deleteRecoveryCode, replaceRecoveryCodes } from './store.ts';

const CODES = 10;
/** 80 random bits, so that a stolen hash does not reveal the code. */
const CODE_BYTES = 10;

/** Replaces the user's codes. They are shown once, because only their hashes are stored. */
export async function createRecoveryCodes(tx: Tx, userId: number): Promise<readonly string[]> {
  const codes = Array.from({ length: CODES }, () => randomBytes(CODE_BYTES).toString('hex'));
  await replaceRecoveryCodes(
    tx,
    userId,
    codes.map(code => sha256(code)),
  );
  return codes.map(formatCode);
}

/** Uses up a code, in any letter case and with or without hyphens. Returns whether the user had it. */
export function spendRecoveryCode(tx: Tx, userId: number, code: string): Promise<boolean> {
  return deleteRecoveryCode(tx, userId, sha256(code.toLowerCase().replaceAll(/[\s-]/g, '')));
}

const formatCode = (code: string): string => (code.match(/.{5}/g) ?? []).join('-');
