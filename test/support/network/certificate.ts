// Creates a self-signed X.509 certificate (RFC 5280), encoded in DER, for servers that tests trust.
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** A certificate and its private key in PEM format. */
export interface SelfSignedCertificate {
  readonly key: string;
  readonly cert: string;
}

const DAY_MS = 86_400_000;
/** DER tags. */
const INTEGER = 0x02;
const BIT_STRING = 0x03;
const OCTET_STRING = 0x04;
const OBJECT_ID = 0x06;
const UTF8_STRING = 0x0c;
const UTC_TIME = 0x17;
const SEQUENCE = 0x30;
const SET = 0x31;
/** Returns the tag of an optional field with this number. */
const optionalField = (number: number): number => 0xa0 + number;
const DNS_NAME = 0x82;
/** 1.2.840.10045.4.3.2: ecdsa-with-SHA256. */
const ECDSA_SHA256 = der(SEQUENCE, der(OBJECT_ID, Buffer.from('2a8648ce3d040302', 'hex')));

/** Creates a certificate for these DNS names that is valid from yesterday to tomorrow. */
export function makeCertificate(names: readonly [string, ...string[]]): SelfSignedCertificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const subject = encodeCommonName(names[0]);
  const body = der(
    SEQUENCE,
    // Version 3.
    der(optionalField(0), der(INTEGER, Buffer.from([2]))),
    // The serial number. The first byte makes it positive.
    der(INTEGER, Buffer.from([1]), randomBytes(8)),
    ECDSA_SHA256,
    // The issuer is the subject.
    subject,
    der(SEQUENCE, encodeUtcTime(Date.now() - DAY_MS), encodeUtcTime(Date.now() + DAY_MS)),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(optionalField(3), der(SEQUENCE, encodeAlternativeNames(names))),
  );
  const signature = der(BIT_STRING, Buffer.from([0]), sign('sha256', body, privateKey));
  const bytes = der(SEQUENCE, body, ECDSA_SHA256, signature);
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${bytes.toString('base64')}\n-----END CERTIFICATE-----\n`,
  };
}

/** Encodes a DER value: tag, length, contents of at most 65,535 bytes. */
function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const contents = Buffer.concat(parts);
  const { length } = contents;
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), contents]);
}

const encodeCommonName = (name: string): Buffer =>
  der(
    SEQUENCE,
    der(
      SET,
      der(SEQUENCE, der(OBJECT_ID, Buffer.from('550403', 'hex')), der(UTF8_STRING, Buffer.from(name))),
    ),
  );

/** Encodes a time, such as `261122091500Z`. */
const encodeUtcTime = (ms: number): Buffer =>
  der(UTC_TIME, Buffer.from(`${new Date(ms).toISOString().slice(2, 19).replace(/[-:T]/g, '')}Z`));

const encodeAlternativeNames = (names: readonly string[]): Buffer =>
  der(
    SEQUENCE,
    der(OBJECT_ID, Buffer.from('551d11', 'hex')),
    der(OCTET_STRING, der(SEQUENCE, ...names.map(name => der(DNS_NAME, Buffer.from(name))))),
  );
