// Creates, reads and revokes the token with which an identity provider manages accounts by SCIM.
import { generateToken, sha256 } from '../../lib/crypto.ts';
import { AppError } from '../../lib/errors.ts';
import { recordAudit } from '../../store/audit/record-audit.ts';
import { type Actor, requireScope } from '../accounts/actor.ts';
import type { Deps } from '../deps.ts';
import { presentColumns } from '../present-columns.ts';
import { deleteToken, findToken, replaceToken, touchToken } from './store/tokens.ts';

type TokenDeps = Pick<Deps, 'db' | 'now' | 'settings'>;

const TOKEN_PATTERN = /^Bearer (scim-[\x21-\x7e]{1,256})$/i;
const CHALLENGE = { 'www-authenticate': 'Bearer error="invalid_token"' };

/** Creates the token, which replaces an earlier one. It is shown only in this response. */
export async function createScimToken({ db, now, settings }: TokenDeps, actor: Actor) {
  const admin = requireScope(actor, 'instance:admin');
  const token = `scim-${generateToken()}`;
  const createdAt = new Date(now());
  await db.transaction(async tx => {
    await replaceToken(tx, sha256(token), createdAt);
    recordAudit(tx, admin, { action: 'scim_token.created' });
  });
  return { token, url: getScimUrl(settings), createdAt: createdAt.toISOString(), lastUsedAt: null };
}

/** Returns when the token was created and used, and null for both if there is none. */
export async function readScimToken({ db, settings }: TokenDeps, actor: Actor) {
  requireScope(actor, 'instance:admin');
  const row = (await findToken(db)) ?? { created_at: null, last_used_at: null };
  return { url: getScimUrl(settings), ...presentColumns(row, 'created_at last_used_at') };
}

/** Revokes the token. Throws 404 if there is none. */
export async function deleteScimToken({ db }: TokenDeps, actor: Actor): Promise<void> {
  const admin = requireScope(actor, 'instance:admin');
  await db.transaction(async tx => {
    if (!(await deleteToken(tx))) throw new AppError('not_found', NO_TOKEN);
    recordAudit(tx, admin, { action: 'scim_token.revoked' });
  });
}

const NO_TOKEN = 'There is no SCIM token.';

const getScimUrl = ({ BASE_URL }: Deps['settings']): string => `${BASE_URL}/scim/v2`;

/** Checks the token of an `Authorization` header, in the database so that a revoked one never works. Throws 401. */
export async function requireScimToken(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  authorization: string | undefined,
): Promise<void> {
  const token = TOKEN_PATTERN.exec(authorization ?? '')?.[1];
  if (token !== undefined && (await touchToken(db, sha256(token), new Date(now())))) return;
  throw new AppError(
    token === undefined ? 'unauthorized' : 'invalid_api_key',
    token === undefined
      ? 'Send the SCIM token: Authorization: Bearer scim-….'
      : 'The SCIM token is invalid or was replaced. Create a new one at Settings → Groups.',
    { headers: token === undefined ? { 'www-authenticate': 'Bearer' } : CHALLENGE },
  );
}
