// Tests that webhooks are accepted only with a valid signature of the provider.
import assert from 'node:assert/strict';
import { createHash, createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { describe, it } from 'node:test';
import {
  isSignedByFal,
  isSignedByReplicate,
  type ProviderCallback,
  readFalKeys,
} from '../../src/providers/callback-signatures.ts';

const NOW_MS = 1_795_000_000_000;
const NOW_S = NOW_MS / 1000;
const body = Buffer.from('{"id":"p1","status":"succeeded"}');
const SECRET = `whsec_${Buffer.from('a secret of the account').toString('base64')}`;

describe('isSignedByReplicate', () => {
  const signature = (secret: string, id: string, timestamp: string, content = body): string => {
    const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
    return createHmac('sha256', key).update(`${id}.${timestamp}.`).update(content).digest('base64');
  };
  const callback = (
    changes: Readonly<Record<string, string | undefined>> = {},
    content = body,
  ): ProviderCallback => {
    const timestamp = String(NOW_S);
    const validHeader = `v1,${signature(SECRET, 'msg_1', timestamp)}`;
    const headers = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': timestamp,
      'webhook-signature': validHeader,
    };
    return { headers: { ...headers, ...changes }, body: content, nowMs: NOW_MS };
  };

  it("accepts a signature with the account's secret, also among other signatures", () => {
    assert.equal(isSignedByReplicate(callback(), SECRET), true);
    assert.equal(isSignedByReplicate(callback(), SECRET.replace('whsec_', '')), true);
    const validSignature = callback().headers['webhook-signature'];
    const several = `v1,${Buffer.alloc(32).toString('base64')} v2,xyz ${validSignature}`;
    assert.equal(isSignedByReplicate(callback({ 'webhook-signature': several }), SECRET), true);
  });

  it('accepts timestamps within five minutes', () => {
    for (const [offsetSeconds, isAccepted] of [
      [-300, true],
      [300, true],
      [-301, false],
      [301, false],
      [3600, false],
    ] as const) {
      const timestamp = String(NOW_S + offsetSeconds);
      const changes = {
        'webhook-timestamp': timestamp,
        'webhook-signature': `v1,${signature(SECRET, 'msg_1', timestamp)}`,
      };
      assert.equal(isSignedByReplicate(callback(changes), SECRET), isAccepted, `${offsetSeconds} s`);
    }
  });

  it('refuses a webhook if any part was changed', () => {
    const otherSecret = `whsec_${Buffer.from('another').toString('base64')}`;
    assert.equal(isSignedByReplicate(callback(), otherSecret), false);
    assert.equal(isSignedByReplicate(callback({}, Buffer.from('{"id":"p2"}')), SECRET), false);
    const validSignature = String(callback().headers['webhook-signature']);
    for (const changes of [
      { 'webhook-id': 'msg_2' },
      { 'webhook-timestamp': String(NOW_S - 1) },
      { 'webhook-timestamp': 'now' },
      { 'webhook-timestamp': `${NOW_S}.0` },
      { 'webhook-signature': validSignature.slice('v1,'.length) },
      { 'webhook-signature': validSignature.replace('v1,', 'v1a,') },
      { 'webhook-signature': validSignature.slice(0, -4) },
      { 'webhook-signature': 'v1,' },
      { 'webhook-signature': '' },
      { 'webhook-id': undefined },
      { 'webhook-timestamp': undefined },
      { 'webhook-signature': undefined },
    ])
      assert.equal(isSignedByReplicate(callback(changes), SECRET), false, JSON.stringify(changes));
  });
});

describe('isSignedByFal', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const oldKeys = generateKeyPairSync('ed25519');
  const keys = readFalKeys({
    keys: [oldKeys.publicKey, publicKey].map(key => key.export({ format: 'jwk' })),
  });
  const callback = (
    changes: Readonly<Record<string, string | undefined>> = {},
    content = body,
  ): ProviderCallback => {
    const digest = createHash('sha256').update(body).digest('hex');
    const text = ['r1', 'u1', String(NOW_S), digest].join('\n');
    const headers = {
      'x-fal-webhook-request-id': 'r1',
      'x-fal-webhook-user-id': 'u1',
      'x-fal-webhook-timestamp': String(NOW_S),
      'x-fal-webhook-signature': sign(null, Buffer.from(text), privateKey).toString('hex'),
    };
    return { headers: { ...headers, ...changes }, body: content, nowMs: NOW_MS };
  };

  it('accepts a webhook signed with one of the published keys', () => {
    assert.equal(isSignedByFal(callback(), keys), true);
    assert.equal(isSignedByFal(callback(), keys.slice(0, 1)), false);
    assert.equal(isSignedByFal(callback(), []), false);
  });

  it('refuses a webhook that was changed or is stale', () => {
    assert.equal(isSignedByFal(callback({}, Buffer.from('{}')), keys), false);
    assert.equal(isSignedByFal({ ...callback(), nowMs: NOW_MS + 301_000 }, keys), false);
    assert.equal(isSignedByFal({ ...callback(), nowMs: NOW_MS - 3_600_000 }, keys), false);
    for (const name of ['request-id', 'user-id', 'timestamp', 'signature'])
      for (const value of ['x', '', undefined])
        assert.equal(
          isSignedByFal(callback({ [`x-fal-webhook-${name}`]: value }), keys),
          false,
          `${name} ${value}`,
        );
  });

  it('reads no keys from other key types or invalid data', () => {
    const rsa = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ format: 'jwk' });
    for (const set of [null, [], { keys: 'x' }, { keys: [null, {}, { x: 7 }, { x: 'AAAA' }, rsa] }])
      assert.deepEqual(readFalKeys(set), []);
  });
});
