// A software authenticator: makes passkeys and signs as the devices of users do (WebAuthn level 3, ES256).
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

interface Options {
  /** The page on which the browser runs. */
  readonly origin: string;
  readonly rpId?: string;
  readonly isUserVerified?: boolean;
  /** Of the attestation, which is `none` if the service asks for none. */
  readonly format?: string;
  /** The length of the passkey's id. Default: 16 */
  readonly idBytes?: number;
}

interface RequestOptions {
  readonly challenge: string;
}

const USER_PRESENT = 1;
const USER_VERIFIED = 4;
const HAS_CREDENTIAL = 64;

const sha256 = (data: string | Buffer): Buffer => createHash('sha256').update(data).digest();
const toBase64 = (data: string | Buffer): string => Buffer.from(data).toString('base64url');

export class Authenticator {
  readonly id: string;
  readonly #key: { readonly privateKey: KeyObject; readonly publicKey: KeyObject } = generateKeyPairSync(
    'ec',
    {
      namedCurve: 'P-256',
    },
  );
  readonly #options: Options;
  /** The number of signatures. */
  counter = 0;

  constructor(options: Options) {
    this.#options = options;
    this.id = toBase64(randomBytes(options.idBytes ?? 16));
  }

  /** Makes a passkey, as `navigator.credentials.create` does. */
  create({ challenge }: RequestOptions) {
    const clientDataJSON = this.#createClientData('webauthn.create', challenge);
    const authData = Buffer.concat([this.#createAuthData(HAS_CREDENTIAL), this.#createCredentialData()]);
    // {"fmt": "none", "attStmt": {}, "authData": bytes} in CBOR.
    const attestationObject = Buffer.concat([
      Buffer.from([0xa3]),
      ...['fmt', this.#options.format ?? 'none', 'attStmt'].map(encodeText),
      Buffer.from([0xa0]),
      encodeText('authData'),
      Buffer.from([0x59, authData.length >> 8, authData.length & 0xff]),
      authData,
    ]);
    return {
      id: this.id,
      rawId: this.id,
      type: 'public-key' as const,
      clientExtensionResults: {},
      response: { clientDataJSON, attestationObject: toBase64(attestationObject), transports: ['internal'] },
    };
  }

  /** Signs a challenge, as `navigator.credentials.get` does. */
  get({ challenge }: RequestOptions) {
    this.counter++;
    const clientDataJSON = this.#createClientData('webauthn.get', challenge);
    const authData = this.#createAuthData(0);
    const signed = Buffer.concat([authData, sha256(Buffer.from(clientDataJSON, 'base64url'))]);
    return {
      id: this.id,
      rawId: this.id,
      type: 'public-key' as const,
      clientExtensionResults: {},
      response: {
        clientDataJSON,
        authenticatorData: toBase64(authData),
        signature: toBase64(sign('sha256', signed, this.#key.privateKey)),
      },
    };
  }

  #createClientData(type: string, challenge: string): string {
    return toBase64(JSON.stringify({ type, challenge, origin: this.#options.origin, crossOrigin: false }));
  }

  #createAuthData(flags: number): Buffer {
    const { origin, rpId = new URL(origin).hostname, isUserVerified = true } = this.#options;
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.counter);
    return Buffer.concat([
      sha256(rpId),
      Buffer.from([flags | USER_PRESENT | (isUserVerified ? USER_VERIFIED : 0)]),
      counter,
    ]);
  }

  #createCredentialData(): Buffer {
    const id = Buffer.from(this.id, 'base64url');
    const { x = '', y = '' } = this.#key.publicKey.export({ format: 'jwk' });
    // The COSE key {1: 2 (EC2), 3: -7 (ES256), -1: 1 (P-256), -2: x, -3: y}.
    const key = Buffer.concat([
      Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 32]),
      Buffer.from(x, 'base64url'),
      Buffer.from([0x22, 0x58, 32]),
      Buffer.from(y, 'base64url'),
    ]);
    return Buffer.concat([Buffer.alloc(16), Buffer.from([id.length >> 8, id.length & 0xff]), id, key]);
  }
}

/** Encodes a text of less than 24 bytes in CBOR. */
const encodeText = (text: string): Buffer =>
  Buffer.concat([Buffer.from([0x60 + text.length]), Buffer.from(text)]);
