// Identifies the visitor of an app: a user, a visitor for whom an embedding page vouches, or an anonymous visitor.
import { decodeProtectedHeader, errors, jwtVerify, SignJWT } from 'jose';
import { hmacSha256Hex, sha256Hex, tryDecrypt } from '../lib/crypto.ts';
import { AppError } from '../lib/errors.ts';
import type { Actor, UserActor } from '../services/accounts/actor.ts';
import type { Deps } from '../services/deps.ts';
import { type AppRow, listSlugs } from './store/apps.ts';

/** The parts of a request that identify its visitor. */
export interface VisitorRequest {
  readonly actor: Actor;
  /** The network that sent the request. */
  readonly network: string;
  /** The value of the visitor's cookie. */
  readonly cookie?: string | undefined;
  /** A token that the embedding page signed. */
  readonly token?: string | undefined;
  /** Returns the address of the same request for another slug. */
  readonly toAddress?: ((slug: string) => string) | undefined;
}

export interface Visitor {
  readonly user: UserActor | undefined;
  /** Whether an embedding page vouches for the visitor. */
  readonly isVouched: boolean;
  /** The name that the embedding page gave the visitor. */
  readonly subject?: string;
  /** Hashes of what identifies the visitor. Limits apply to each id. Runs are stored with the first id. */
  readonly ids: readonly [string, ...string[]];
}

/** Returns whether the visitor has neither an account nor an embedding page that vouches for them. */
export const isAnonymous = ({ user, isVouched }: Visitor): boolean => user === undefined && !isVouched;

type VisitorDeps = Pick<Deps, 'db' | 'secretsKey' | 'now'>;

/** The longest lifetime of a token that an embedding page signed. */
const MAX_TOKEN_SECONDS = 300;
/** The lifetime of a page's token: long enough to fill in a form and wait for a run. */
const PAGE_TOKEN_SECONDS = 43_200;
/** The key id of tokens for the app's own page. */
const PAGE_KEY_ID = 'page';
const MAX_SUBJECT_CHARS = 200;

/** Throws 401 for a token that is invalid or has expired. */
export async function identifyVisitor(
  deps: VisitorDeps,
  app: AppRow,
  { actor, network, cookie, token }: VisitorRequest,
): Promise<Visitor> {
  const toId = (kind: string, text: string): string => sha256Hex(`${app.id} ${kind} ${text}`).slice(0, 32);
  if (token !== undefined) {
    const subject = await verifyToken(deps, app, token);
    return { user: undefined, isVouched: true, subject, ids: [toId('subject', subject)] };
  }
  if (actor.kind === 'user')
    return { user: actor, isVouched: false, ids: [toId('user', String(actor.userId))] };
  const networkId = toId('network', network);
  return {
    user: undefined,
    isVouched: false,
    ids: cookie === undefined ? [networkId] : [toId('cookie', cookie), networkId],
  };
}

async function verifyToken(deps: VisitorDeps, app: AppRow, token: string): Promise<string> {
  const nowMs = deps.now();
  const isForPage = isPageToken(token);
  const { payload } = await jwtVerify(token, isForPage ? getPageKey(deps, app) : getEmbedKey(deps, app), {
    algorithms: ['HS256'],
    // Pages that embed the app may not know its new slug.
    audience: [...(await listSlugs(deps.db, app.id))],
    requiredClaims: ['sub', 'aud', 'exp'],
    currentDate: new Date(nowMs),
  }).catch((err: unknown) => {
    if (err instanceof errors.JWTExpired)
      throw new AppError('unauthorized', 'Your access to this app has expired. Reload the page.');
    throw createInvalidTokenError('It is malformed, or was signed with another key or for another app.', err);
  });
  if (!isForPage && (payload.exp ?? 0) > nowMs / 1000 + MAX_TOKEN_SECONDS)
    throw createInvalidTokenError(`It must expire within ${MAX_TOKEN_SECONDS / 60} minutes.`);
  const { sub = '' } = payload;
  if (sub === '' || sub.length > MAX_SUBJECT_CHARS)
    throw createInvalidTokenError(`Its sub must have 1 to ${MAX_SUBJECT_CHARS} characters.`);
  return sub;
}

function isPageToken(token: string): boolean {
  try {
    return decodeProtectedHeader(token).kid === PAGE_KEY_ID;
  } catch {
    return false;
  }
}

/** Creates the token that the page of an app sends with its requests. A new embed key invalidates it. */
export function createPageToken(deps: VisitorDeps, app: AppRow, subject: string): Promise<string> {
  return new SignJWT()
    .setProtectedHeader({ alg: 'HS256', kid: PAGE_KEY_ID })
    .setSubject(subject)
    .setAudience(app.slug)
    .setExpirationTime(Math.floor(deps.now() / 1000) + PAGE_TOKEN_SECONDS)
    .sign(getPageKey(deps, app));
}

function getEmbedKey({ secretsKey }: VisitorDeps, { embed_key: encrypted }: AppRow): Buffer {
  if (encrypted === null) throw createInvalidTokenError('The app has no embed key.');
  const key = tryDecrypt(secretsKey, encrypted);
  if (key !== undefined) return Buffer.from(key);
  throw createInvalidTokenError("The service can no longer read the app's embed key. Create a new one.");
}

const getPageKey = (deps: VisitorDeps, app: AppRow): Buffer =>
  Buffer.from(hmacSha256Hex(deps.secretsKey, `page of app ${app.id} ${getEmbedKey(deps, app)}`));

function createInvalidTokenError(reason: string, cause?: unknown): AppError {
  return new AppError('unauthorized', `The visitor's token is invalid. ${reason} Reload the page.`, {
    cause,
  });
}
