// Registers and checks passkeys (WebAuthn level 3) of this service's domain.
import { isIP } from 'node:net';
import type * as webauthn from '@simplewebauthn/server';
import { AppError } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import type { Settings } from '../../lib/settings.ts';
import { isUniqueViolation, type Tx } from '../../store/db.ts';
import type { Deps } from '../deps.ts';
import { createChallenge } from './challenges.ts';
import { countPasskeyUse, findPasskey, insertPasskey, listPasskeys, type PasskeyRow } from './store.ts';

type PasskeyDeps = Pick<Deps, 'now' | 'log'> & { readonly settings: Pick<Settings, 'BASE_URL'> };

const MAX_PASSKEYS = 20;
const TIMEOUT_MS = 5 * 60_000;
/** WebAuthn §7.1. Longer ids do not fit into the index. */
const MAX_CREDENTIAL_ID_BYTES = 1023;

/** The relying party: the service, as browsers and authenticators know it. */
interface RelyingParty {
  /** A domain. */
  readonly id: string;
  readonly origin: string;
}

/** Returns undefined if BASE_URL has no domain, because browsers offer no passkeys for an IP address. */
export function getRelyingParty({ settings }: Pick<PasskeyDeps, 'settings'>): RelyingParty | undefined {
  const { hostname, origin, protocol } = new URL(settings.BASE_URL);
  const isDomain = isIP(hostname.replaceAll(/[[\]]/g, '')) === 0;
  const isSecure = protocol === 'https:' || hostname === 'localhost' || hostname.endsWith('.localhost');
  return isDomain && isSecure ? { id: hostname, origin } : undefined;
}

function requireRelyingParty(deps: Pick<PasskeyDeps, 'settings'>): RelyingParty {
  const party = getRelyingParty(deps);
  if (party !== undefined) return party;
  throw new AppError(
    'conflict',
    'Passkeys need a domain and HTTPS: browsers offer none for the BASE_URL of this service. Use an authenticator app.',
  );
}

/** What the browser passes to `navigator.credentials.get`, as JSON. Its `challenge` is the token of the challenge. */
export type PasskeyRequest = webauthn.PublicKeyCredentialRequestOptionsJSON;
export type Assertion = webauthn.AuthenticationResponseJSON;
export type Attestation = webauthn.RegistrationResponseJSON;

/** Returns the request to a browser for one of these passkeys, or for any if `passkeys` is undefined. */
export async function requestPasskey(
  deps: Pick<PasskeyDeps, 'settings'>,
  token: string,
  passkeys?: readonly PasskeyRow[],
): Promise<PasskeyRequest> {
  const { generateAuthenticationOptions } = await import('@simplewebauthn/server');
  return generateAuthenticationOptions({
    rpID: requireRelyingParty(deps).id,
    challenge: toBytes(token),
    timeout: TIMEOUT_MS,
    // A passkey alone must also tell that its owner unlocked it.
    userVerification: passkeys === undefined ? 'required' : 'preferred',
    ...(passkeys === undefined ? {} : { allowCredentials: passkeys.map(toDescriptor) }),
  });
}

/** Returns the request to a browser for a new passkey. */
export async function requestNewPasskey(
  tx: Tx,
  deps: PasskeyDeps,
  user: { readonly id: number; readonly email: string; readonly name: string },
): Promise<webauthn.PublicKeyCredentialCreationOptionsJSON> {
  const party = requireRelyingParty(deps);
  const { generateRegistrationOptions } = await import('@simplewebauthn/server');
  const passkeys = await listPasskeys(tx, user.id);
  const token = await createChallenge(tx, deps, { kind: 'registration', userId: user.id });
  return generateRegistrationOptions({
    rpName: 'Graphwright',
    rpID: party.id,
    userID: new Uint8Array(Buffer.from(String(user.id))),
    userName: user.email,
    userDisplayName: user.name,
    challenge: toBytes(token),
    timeout: TIMEOUT_MS,
    attestationType: 'none',
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
    excludeCredentials: passkeys.map(toDescriptor),
  });
}

const toDescriptor = ({ credential_id: id, transports }: PasskeyRow) => ({ id, transports: [...transports] });

/** Stores the passkey that a browser created. Throws 400 if the response is invalid, 409 if there are too many. */
export async function storePasskey(
  tx: Tx,
  deps: PasskeyDeps,
  {
    userId,
    name,
    attestation,
  }: { readonly userId: number; readonly name: string; readonly attestation: Attestation },
): Promise<PasskeyRow> {
  const party = requireRelyingParty(deps);
  const result = await verifyAttestation(party, attestation).catch((cause: unknown) => {
    throw createAttestationError(cause);
  });
  if (!result.verified) throw createAttestationError();
  const { id, publicKey, counter, transports = [] } = result.registrationInfo.credential;
  const idBytes = Buffer.byteLength(id, 'base64url');
  if (idBytes === 0 || idBytes > MAX_CREDENTIAL_ID_BYTES) throw createAttestationError();
  const passkey = {
    id: newId('passkey', deps.now()),
    user_id: userId,
    credential_id: id,
    public_key: Buffer.from(publicKey),
    counter,
    transports,
    name,
    created_at: new Date(deps.now()),
  };
  const isStored = await insertPasskey(tx, passkey, MAX_PASSKEYS).catch((err: unknown) => {
    throw isUniqueViolation(err, 'passkeys_credential_id_key')
      ? new AppError('conflict', 'This passkey is already registered.')
      : err;
  });
  if (!isStored) throw new AppError('conflict', `An account has at most ${MAX_PASSKEYS} passkeys.`);
  return { ...passkey, last_used_at: null };
}

async function verifyAttestation(party: RelyingParty, attestation: Attestation) {
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
  return verifyRegistrationResponse({
    response: await dropStatement(attestation),
    expectedChallenge: readToken(attestation) ?? '',
    expectedOrigin: party.origin,
    expectedRPID: party.id,
    requireUserVerification: false,
  });
}

/**
 * Returns the response with the attestation statement `none`, which the service asks for. The library would verify another one, and
 * for some fetch lists of revoked certificates.
 */
async function dropStatement(attestation: Attestation): Promise<Attestation> {
  const { decodeAttestationObject, isoBase64URL, isoCBOR } = await import('@simplewebauthn/server/helpers');
  const sent = decodeAttestationObject(isoBase64URL.toBuffer(attestation.response.attestationObject));
  const plain = new Map<string, unknown>([
    ['fmt', 'none'],
    ['attStmt', new Map()],
    ['authData', sent.get('authData')],
  ]);
  const attestationObject = isoBase64URL.fromBuffer(
    isoCBOR.encode(plain as Parameters<typeof isoCBOR.encode>[0]),
  );
  return { ...attestation, response: { ...attestation.response, attestationObject } };
}

const createAttestationError = (cause?: unknown): AppError =>
  new AppError('invalid_request', 'The browser sent no valid passkey for this service. Try again.', {
    cause,
  });

/** An assertion of a stored passkey. */
export interface UsedPasskey {
  readonly passkey: PasskeyRow;
  /** Whether the authenticator verified who unlocked it. */
  readonly isUserVerified: boolean;
}

/**
 * Uses the passkey that signed the assertion's challenge. Returns undefined if the signature, the origin or the counter is
 * wrong. The caller checks the challenge.
 */
export async function acceptAssertion(
  tx: Tx,
  deps: PasskeyDeps,
  assertion: Assertion,
): Promise<UsedPasskey | undefined> {
  const passkey = await findPasskey(tx, assertion.id);
  const party = getRelyingParty(deps);
  if (passkey === undefined || party === undefined) return undefined;
  const result = await verifyAssertion(party, passkey, assertion).catch((err: unknown) => {
    deps.log.warn({ err, passkeyId: passkey.id, userId: passkey.user_id }, 'a passkey was refused');
    return undefined;
  });
  if (result?.verified !== true) return undefined;
  const { newCounter, userVerified } = result.authenticationInfo;
  if (!(await countPasskeyUse(tx, passkey.id, newCounter, new Date(deps.now())))) {
    deps.log.warn(
      { passkeyId: passkey.id, userId: passkey.user_id },
      'a passkey counted backward; it may be copied',
    );
    return undefined;
  }
  return { passkey, isUserVerified: userVerified };
}

async function verifyAssertion(
  party: RelyingParty,
  { credential_id: id, public_key: publicKey, counter }: PasskeyRow,
  response: Assertion,
) {
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
  return verifyAuthenticationResponse({
    response,
    expectedChallenge: readToken(response) ?? '',
    expectedOrigin: party.origin,
    expectedRPID: party.id,
    credential: { id, publicKey: new Uint8Array(publicKey), counter },
    requireUserVerification: false,
  });
}

/** Returns the token that the authenticator signed, or undefined if the response is damaged. */
export function readToken({ response }: Assertion | Attestation): string | undefined {
  try {
    const { challenge } = JSON.parse(Buffer.from(response.clientDataJSON, 'base64url').toString()) as {
      readonly challenge?: unknown;
    };
    return typeof challenge === 'string' ? challenge : undefined;
  } catch {
    return undefined;
  }
}

const toBytes = (token: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(token, 'base64url'));
