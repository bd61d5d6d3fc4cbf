// Identifies the visitor of an app: a user, a visitor that an embedding page vouches for, or an anonymous one.
import { jwtVerify } from 'jose';
import { decrypt, sha256Hex } from '../lib/crypto.ts';
import { AppError } from '../lib/errors.ts';
import type { Actor, UserActor } from '../services/accounts/actor.ts';
import type { Deps } from '../services/deps.ts';
import type { AppRow } from '../store/apps.ts';

/** What a request says about its visitor. */
export interface VisitorRequest {
  readonly actor: Actor;
  /** The network that the request comes from. */
  readonly network: string;
  /** The value of the visitor's cookie. */
  readonly cookie?: string | undefined;
  /** A token that the embedding page signed. */
  readonly token?: string | undefined;
}

export interface Visitor {
  readonly user: UserActor | undefined;
  /** Whether an embedding page vouches for the visitor. */
  readonly isVouched: boolean;
  /** Names that the visitor is known by, hashed. The first one is stored with runs; each is counted by itself. */
  readonly names: readonly [string, ...string[]];
}

/** How far ahead a token may expire. */
const MAX_TOKEN_SECONDS = 300;
const MAX_SUBJECT = 200;

/** Throws 401 for a token that is invalid or has expired. */
export async function identifyVisitor(
  deps: Pick<Deps, 'secretsKey' | 'now'>,
  app: AppRow,
  { actor, network, cookie, token }: VisitorRequest,
): Promise<Visitor> {
  const name = (kind: string, text: string): string => sha256Hex(`${app.id} ${kind} ${text}`).slice(0, 32);
  if (token !== undefined) {
    const subject = await verifyToken(deps, app, token);
    return { user: undefined, isVouched: true, names: [name('subject', subject)] };
  }
  if (actor.kind === 'user')
    return { user: actor, isVouched: false, names: [name('user', String(actor.userId))] };
  const ofNetwork = name('network', network);
  return {
    user: undefined,
    isVouched: false,
    names: cookie === undefined ? [ofNetwork] : [name('cookie', cookie), ofNetwork],
  };
}

async function verifyToken(
  deps: Pick<Deps, 'secretsKey' | 'now'>,
  app: AppRow,
  token: string,
): Promise<string> {
  if (app.embed_key === null) throw invalidToken('The app has no embed key.');
  const key = Buffer.from(decrypt(deps.secretsKey, app.embed_key));
  const nowMs = deps.now();
  const { payload } = await jwtVerify(token, key, {
    algorithms: ['HS256'],
    audience: app.slug,
    requiredClaims: ['sub', 'aud', 'exp'],
    currentDate: new Date(nowMs),
  }).catch((err: unknown) => {
    throw invalidToken('It is malformed, has expired or was signed with another key.', err);
  });
  if ((payload.exp ?? 0) > nowMs / 1000 + MAX_TOKEN_SECONDS)
    throw invalidToken(`It must expire within ${MAX_TOKEN_SECONDS / 60} minutes.`);
  const { sub = '' } = payload;
  if (sub === '' || sub.length > MAX_SUBJECT)
    throw invalidToken(`Its sub must have 1 to ${MAX_SUBJECT} characters.`);
  return sub;
}

function invalidToken(reason: string, cause?: unknown): AppError {
  return new AppError('unauthorized', `The visitor's token is invalid. ${reason} Reload the page.`, {
    cause,
  });
}
