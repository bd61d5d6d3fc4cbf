// Tests webhook signatures with third-party verifiers.
import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { verify } from '@octokit/webhooks-methods';
import { Webhook } from 'standardwebhooks';
import { findSignatureError, signWebhook } from '../../../src/services/webhooks/webhook-signature.ts';

const body = JSON.stringify({ event: 'execution.completed', text: 'Grüße 🎈' });
/** Verifiers refuse timestamps older than five minutes, and this file may be loaded long before it runs. */
const createEvent = () => ({
  body,
  eventId: '0f8fad5b-d9cb-469f-a165-70867728950e',
  timestampSeconds: Math.floor(Date.now() / 1000),
});

test('signWebhook creates an X-Service-Signature that a third-party verifier accepts', async () => {
  const headers = signWebhook({ ...createEvent(), secret: 'hunter2 ä' });
  const signature = headers['X-Service-Signature'] ?? '';
  assert.match(signature, /^sha256=[0-9a-f]{64}$/);
  assert.equal(await verify('hunter2 ä', body, signature), true);
  assert.equal(await verify('hunter2 ä', `${body} `, signature), false);
  assert.equal(await verify('hunter3', body, signature), false);
});

test('signWebhook creates Standard Webhooks headers that the reference library accepts', () => {
  const raw = signWebhook({ ...createEvent(), secret: 'plain words' });
  assert.deepEqual(new Webhook('plain words', { format: 'raw' }).verify(body, { ...raw }), JSON.parse(body));
  const secret = `whsec_${Buffer.from('0123456789abcdef01234567').toString('base64')}`;
  const encoded = signWebhook({ ...createEvent(), secret });
  assert.deepEqual(new Webhook(secret).verify(body, { ...encoded }), JSON.parse(body));
  assert.throws(() => new Webhook(secret).verify(`${body} `, { ...encoded }));
});

describe('findSignatureError', () => {
  const SECRET = `whsec_${Buffer.from('0123456789abcdef01234567').toString('base64')}`;
  const ID = 'msg_1';
  const NOW_MS = 1_767_268_800_000;
  const MISSING = /^The request had no signature/;
  const LATE = /more than five minutes off/;
  const WRONG = /did not match/;

  /** Signs with the reference library, and returns the headers of the request. */
  const sign = (atMs = NOW_MS, webhook = new Webhook(SECRET)): Record<string, string> => ({
    'webhook-id': ID,
    'webhook-timestamp': String(Math.floor(atMs / 1000)),
    'webhook-signature': webhook.sign(ID, new Date(atMs), body),
  });
  const check = (
    headers: Readonly<Record<string, string | string[] | undefined>>,
    { nowMs = NOW_MS, secret = SECRET, sent = body } = {},
  ): string | undefined => findSignatureError({ headers, body: Buffer.from(sent), nowMs }, secret);
  const assertRefused = (error: string | undefined, reason: RegExp): void =>
    assert.match(error ?? '', reason);

  it('accepts what the reference library signed', () => {
    assert.equal(check(sign()), undefined);
    assert.equal(
      check(sign(NOW_MS, new Webhook('plain words', { format: 'raw' })), { secret: 'plain words' }),
      undefined,
    );
  });

  it('refuses another body, id, timestamp or secret', () => {
    assertRefused(check(sign(), { sent: `${body} ` }), WRONG);
    assertRefused(check({ ...sign(), 'webhook-id': 'msg_2' }), WRONG);
    assertRefused(check({ ...sign(), 'webhook-timestamp': String(NOW_MS / 1000 + 1) }), WRONG);
    assertRefused(check(sign(), { secret: SECRET.slice(0, -4) }), WRONG);
    assertRefused(check(sign(), { secret: 'another secret' }), WRONG);
  });

  it('refuses a request without one of the headers, or with two of them', () => {
    for (const header of Object.keys(sign())) {
      assertRefused(check({ ...sign(), [header]: undefined }), MISSING);
      assertRefused(check({ ...sign(), [header]: ['a', 'b'] }), MISSING);
    }
  });

  it('accepts a timestamp that is at most five minutes off', () => {
    const check5Minutes = (offsetMs: number) => check(sign(), { nowMs: NOW_MS + offsetMs });
    assert.equal(check5Minutes(300_000), undefined);
    assert.equal(check5Minutes(-300_000), undefined);
    assertRefused(check5Minutes(300_001), LATE);
    assertRefused(check5Minutes(-300_001), LATE);
  });

  it('refuses a timestamp that is not a number of seconds', () => {
    for (const timestamp of ['', ' 1767268800', '1767268800.0', '-1', '0x1', '1'.repeat(13)])
      assertRefused(check({ ...sign(), 'webhook-timestamp': timestamp }), LATE);
  });

  it('accepts one valid signature among several, as during the rotation of a secret', () => {
    const { 'webhook-signature': signature = '', ...headers } = sign();
    const value = signature.slice('v1,'.length);
    const checkSignature = (text: string) => check({ ...headers, 'webhook-signature': text });
    assert.equal(checkSignature(`v1,${'A'.repeat(43)}= v1a,${value} ${signature}`), undefined);
    assert.equal(checkSignature(`${signature} v1,short`), undefined);
    for (const text of ['', value, `v1a,${value}`, `v2,${value}`, 'v1,', 'v1,short', `v1,${'A'.repeat(43)}=`])
      assertRefused(checkSignature(text), WRONG);
  });
});
