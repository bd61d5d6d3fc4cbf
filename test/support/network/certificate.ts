// Creates a self-signed certificate for a test: a server presents it and the test trusts it.
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

export interface OwnCertificate {
  /** PEM. */
  readonly key: string;
  readonly cert: string;
}

const DAY_MS = 86_400_000;
const SEQUENCE = 0x30;
const OBJECT_ID = 0x06;
const OCTETS = 0x04;
/** 1.2.840.10045.4.3.2: ecdsa-with-SHA256. */
const ECDSA_SHA256 = der(SEQUENCE, der(OBJECT_ID, Buffer.from('2a8648ce3d040302', 'hex')));

/** Minimal X.509 certificate (RFC 5280) for these names, valid from yesterday to tomorrow. */
export function makeCertificate(names: readonly [string, ...string[]]): OwnCertificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const subject = commonName(names[0]);
  const body = der(
    SEQUENCE,
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ECDSA_SHA256,
    subject,
    der(SEQUENCE, utcTime(Date.now() - DAY_MS), utcTime(Date.now() + DAY_MS)),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, der(SEQUENCE, alternativeNames(names))),
  );
  const signature = der(0x03, Buffer.from([0]), sign('sha256', body, privateKey));
  const bytes = der(SEQUENCE, body, ECDSA_SHA256, signature);
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${bytes.toString('base64')}\n-----END CERTIFICATE-----\n`,
  };
}

/** Encodes a DER value: tag, length, contents. */
function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const contents = Buffer.concat(parts);
  const { length } = contents;
  const size = length < 0x80 ? [length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), contents]);
}

const commonName = (name: string): Buffer =>
  der(
    SEQUENCE,
    der(0x31, der(SEQUENCE, der(OBJECT_ID, Buffer.from('550403', 'hex')), der(0x0c, Buffer.from(name)))),
  );

/** `261122091500Z`. */
const utcTime = (ms: number): Buffer =>
  der(0x17, Buffer.from(`${new Date(ms).toISOString().slice(2, 19).replace(/[-:T]/g, '')}Z`));

const alternativeNames = (names: readonly string[]): Buffer =>
  der(
    SEQUENCE,
    der(OBJECT_ID, Buffer.from('551d11', 'hex')),
    der(OCTETS, der(SEQUENCE, ...names.map(name => der(0x82, Buffer.from(name))))),
  );
