// Creates the authorization server's keys once per instance and stores them encrypted in the database.
import { generateKeyPairSync } from 'node:crypto';
import { decrypt, encrypt, generateToken } from '../../lib/crypto.ts';
import type { Deps } from '../deps.ts';
import { findOrStoreKey } from './store/clients.ts';

export interface OAuthKeys {
  /** Signs cookies and the consent page's forms. */
  readonly cookies: string;
  /** A private ES256 key as a JWK. */
  readonly signing: Readonly<Record<string, unknown>>;
}

/** Loads the keys, which all processes share. Throws if SECRETS_KEY is not the one that encrypted them. */
export async function loadOAuthKeys({ db, secretsKey }: Pick<Deps, 'db' | 'secretsKey'>): Promise<OAuthKeys> {
  const loadOrStore = async (name: string, newKey: string): Promise<string> =>
    decrypt(secretsKey, await findOrStoreKey(db, name, encrypt(secretsKey, newKey)));
  const cookies = await loadOrStore('cookies', generateToken());
  const signing = await loadOrStore('signing', JSON.stringify(generateSigningKey()));
  return { cookies, signing: JSON.parse(signing) as OAuthKeys['signing'] };
}

function generateSigningKey(): object {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { ...privateKey.export({ format: 'jwk' }), alg: 'ES256', use: 'sig', kid: 'first' };
}
