// Creates identifiers: a prefix that names the kind, 48 bits of time so that identifiers sort by age, 80 random bits.
import { randomFillSync } from 'node:crypto';

/** The prefix of each kind, which is visible to clients (docs/api.md, Conventions). */
const PREFIXES = {
  workflow: 'wf',
  execution: 'ex',
  media: 'med',
  collection: 'col',
  folder: 'fld',
  team: 'team',
  key: 'key',
  template: 'tpl',
  delivery: 'dlv',
  worker: 'wrk',
  render: 'rnd',
  session: 'ses',
  passkey: 'psk',
  totp: 'otp',
  connection: 'con',
  follower: 'flw',
  invitation: 'inv',
  credential: 'cred',
  credentialValue: 'cval',
  batch: 'bat',
  table: 'tbl',
  schedule: 'sch',
  firing: 'fir',
  trigger: 'trg',
  notice: 'ntc',
  mail: 'mail',
  scimGroup: 'grp',
  app: 'app',
  appRun: 'run',
  audit: 'aud',
  approval: 'apv',
} as const;

export type IdKind = keyof typeof PREFIXES;

// Crockford's base 32 in lower case: no i, l, o, u; ASCII order is value order.
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const TIME_CHARS = 10;
const RANDOM_CHARS = 16;
const LAST_MS = 32 ** TIME_CHARS - 1;
const POOL_BYTES = RANDOM_CHARS * 256;

const pool = Buffer.alloc(POOL_BYTES);
let poolOffset = POOL_BYTES;

/** Creates an id of the kind, e.g. `wf_01kadj3vc8…`: 26 characters after the prefix, in the form of a ULID. */
export function newId(kind: IdKind, nowMs: number = Date.now()): string {
  return `${PREFIXES[kind]}_${encodeTime(nowMs)}${encodeRandom()}`;
}

/** Returns the lower bound of the ids of this kind that are created at or after `ms`. */
export function getFirstIdAt(kind: IdKind, ms: number): string {
  return `${PREFIXES[kind]}_${encodeTime(Math.min(Math.max(ms, 0), LAST_MS))}`;
}

/** Returns the creation time of an id in ms. Also accepts a text that only starts like an id. */
export function getIdTime(id: string): number {
  const begin = id.indexOf('_') + 1;
  return [...id.slice(begin, begin + TIME_CHARS)].reduce((ms, char) => ms * 32 + ALPHABET.indexOf(char), 0);
}

/** Returns whether the text has the form of an id of the kind. Does not check whether the id exists. */
export function isId(kind: IdKind, text: string): boolean {
  return (
    text.startsWith(`${PREFIXES[kind]}_`) &&
    /^[0-9a-hjkmnp-tv-z]{26}$/.test(text.slice(PREFIXES[kind].length + 1))
  );
}

function encodeTime(nowMs: number): string {
  let text = '';
  let remaining = nowMs;
  for (let i = 0; i < TIME_CHARS; i++) {
    text = ALPHABET.charAt(remaining % 32) + text;
    remaining = Math.floor(remaining / 32);
  }
  return text;
}

function encodeRandom(): string {
  if (poolOffset === POOL_BYTES) {
    randomFillSync(pool);
    poolOffset = 0;
  }
  let text = '';
  for (let i = 0; i < RANDOM_CHARS; i++) text += ALPHABET.charAt(pool.readUInt8(poolOffset++) & 31);
  return text;
}
