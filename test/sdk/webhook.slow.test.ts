// Tests verifyWebhook with signatures of the service and of a third-party library, and with forged signatures.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { verifyWebhook, type WebhookToVerify, WebhookVerificationError } from '../../sdk/src/sdk.ts';
import { signWebhook } from '../../src/services/webhooks/webhook-signature.ts';

const event = {
  event: 'execution.completed',
  eventId: '0f8fad5b-d9cb-469f-a165-70867728950e',
  text: 'Grüße 🎈',
};
const body = new TextEncoder().encode(JSON.stringify(event));
const SECRET = 'hunter2 ä';
const STANDARD_SECRET = `whsec_${Buffer.from('0123456789abcdef01234567').toString('base64')}`;
const nowSeconds = (): number => Math.floor(Date.now() / 1000);

const sign = (secret = SECRET, timestampSeconds = nowSeconds()) =>
  signWebhook({ secret, body: JSON.stringify(event), eventId: event.eventId, timestampSeconds });
const FORMS = ['standard', 'body'] as const;
const assertRejected = (webhook: WebhookToVerify, label = ''): Promise<void> =>
  assert.rejects(verifyWebhook(webhook), WebhookVerificationError, label);

describe('verifyWebhook', () => {
  it('accepts signatures of the service in every form, kind of secret and type of headers', async () => {
    for (const secret of [SECRET, STANDARD_SECRET]) {
      const headers = sign(secret);
      const lowerCaseHeaders = Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
      );
      for (const form of FORMS)
        for (const input of [headers, lowerCaseHeaders, new Headers(headers)])
          for (const bytes of [body, body.buffer, JSON.stringify(event)])
            assert.deepEqual(await verifyWebhook({ body: bytes, headers: input, secret, form }), event);
    }
  });

  it('accepts signatures of the reference library', async () => {
    const signedAt = new Date();
    const headers = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(Math.floor(signedAt.getTime() / 1000)),
      'webhook-signature': new Webhook(STANDARD_SECRET).sign('msg_1', signedAt, JSON.stringify(event)),
    };
    assert.deepEqual(await verifyWebhook({ body, headers, secret: STANDARD_SECRET }), event);
  });

  it('rejects a body with any single byte changed', async () => {
    const headers = sign();
    for (let index = 0; index < body.length; index++) {
      const changedBody = body.slice();
      changedBody[index] = (changedBody[index] ?? 0) ^ 1;
      for (const form of FORMS)
        await assertRejected({ body: changedBody, headers, secret: SECRET, form }, `byte ${index}`);
    }
    for (const form of FORMS) await assertRejected({ body: body.slice(1), headers, secret: SECRET, form });
  });

  it('rejects another secret and an empty secret', async () => {
    for (const form of FORMS) {
      await assertRejected({ body, headers: sign(), secret: 'hunter3', form });
      await assertRejected({
        body,
        headers: sign('whsec_'),
        secret: ['', 'whsec_', 'whsec_*'],
        form: 'standard',
      });
    }
  });

  it('rejects a timestamp that is old, in the future or changed', async () => {
    const createWebhook = (timestampSeconds: number) => ({
      body,
      headers: sign(SECRET, timestampSeconds),
      secret: SECRET,
    });
    await assertRejected(createWebhook(nowSeconds() - 310));
    await assertRejected(createWebhook(nowSeconds() + 310));
    assert.deepEqual(await verifyWebhook(createWebhook(nowSeconds() - 290)), event);
    await assertRejected({ ...createWebhook(nowSeconds() - 20), toleranceSeconds: 10 });
    for (const timestamp of [String(nowSeconds() - 1), 'soon', '', '1e9', '-1'])
      await assertRejected(
        { body, headers: { ...sign(), 'webhook-timestamp': timestamp }, secret: SECRET },
        timestamp,
      );
    await assertRejected({ body, headers: { ...sign(), 'webhook-id': 'other' }, secret: SECRET });
  });

  it('accepts a valid signature among invalid signatures, and one of several secrets', async () => {
    const headers = sign();
    const signature = `v1,AAAA v1,${'A'.repeat(43)}= v2,x ${headers['webhook-signature']}`;
    const input = { ...headers, 'webhook-signature': signature };
    assert.deepEqual(await verifyWebhook({ body, headers: input, secret: ['old', SECRET] }), event);
    await assertRejected({
      body,
      headers: { ...headers, 'webhook-signature': 'v1,AAAA v1,%%% v2,x' },
      secret: SECRET,
    });
  });

  it('checks at most sixteen signatures', async () => {
    const headers = sign();
    const signatures = `${'v1,AAAA '.repeat(16)}${headers['webhook-signature']}`;
    await assertRejected({ body, headers: { ...headers, 'webhook-signature': signatures }, secret: SECRET });
  });

  it('requires a timestamp unless the form is body', async () => {
    const headers = { 'X-Service-Signature': sign()['X-Service-Signature'] };
    await assertRejected({ body, headers, secret: SECRET });
    assert.deepEqual(await verifyWebhook({ body, headers, secret: SECRET, form: 'body' }), event);
  });

  it('rejects headers that are missing, repeated or malformed', async () => {
    for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature'])
      await assertRejected({ body, headers: { ...sign(), [name]: undefined }, secret: SECRET }, name);
    await assertRejected({ body, headers: { ...sign(), 'webhook-id': ['a', 'b'] }, secret: SECRET });
    for (const signature of ['', 'sha256=', 'sha256=zz', 'sha1=00', `${sign()['X-Service-Signature']}00`])
      await assertRejected(
        { body, headers: { 'X-Service-Signature': signature }, secret: SECRET, form: 'body' },
        signature,
      );
  });
});
