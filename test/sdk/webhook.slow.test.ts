// Tests verifyWebhook with signatures of the service, of a third-party library, and forged ones.
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
const WHSEC = `whsec_${Buffer.from('0123456789abcdef01234567').toString('base64')}`;
const nowSeconds = (): number => Math.floor(Date.now() / 1000);

const sign = (secret = SECRET, timestampSeconds = nowSeconds()) =>
  signWebhook({ secret, body: JSON.stringify(event), eventId: event.eventId, timestampSeconds });
const FORMS = ['standard', 'body'] as const;
const refuses = (webhook: WebhookToVerify, label = ''): Promise<void> =>
  assert.rejects(verifyWebhook(webhook), WebhookVerificationError, label);

describe('verifyWebhook', () => {
  it('accepts signatures of the service in both forms, with both kinds of secrets and any type of headers', async () => {
    for (const secret of [SECRET, WHSEC]) {
      const headers = sign(secret);
      const lower = Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
      );
      for (const form of FORMS)
        for (const input of [headers, lower, new Headers(headers)])
          for (const bytes of [body, body.buffer, JSON.stringify(event)])
            assert.deepEqual(await verifyWebhook({ body: bytes, headers: input, secret, form }), event);
    }
  });

  it('accepts signatures of the reference library', async () => {
    const at = new Date();
    const headers = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(WHSEC).sign('msg_1', at, JSON.stringify(event)),
    };
    assert.deepEqual(await verifyWebhook({ body, headers, secret: WHSEC }), event);
  });

  it('refuses a body with any single byte changed', async () => {
    const headers = sign();
    for (let at = 0; at < body.length; at++) {
      const changed = body.slice();
      changed[at] = (changed[at] ?? 0) ^ 1;
      for (const form of FORMS) await refuses({ body: changed, headers, secret: SECRET, form }, `byte ${at}`);
    }
    for (const form of FORMS) await refuses({ body: body.slice(1), headers, secret: SECRET, form });
  });

  it('refuses another secret and an empty one', async () => {
    for (const form of FORMS) {
      await refuses({ body, headers: sign(), secret: 'hunter3', form });
      await refuses({ body, headers: sign('whsec_'), secret: ['', 'whsec_', 'whsec_*'], form: 'standard' });
    }
  });

  it('refuses a timestamp that is old, in the future or changed', async () => {
    const at = (timestampSeconds: number) => ({
      body,
      headers: sign(SECRET, timestampSeconds),
      secret: SECRET,
    });
    await refuses(at(nowSeconds() - 310));
    await refuses(at(nowSeconds() + 310));
    assert.deepEqual(await verifyWebhook(at(nowSeconds() - 290)), event);
    await refuses({ ...at(nowSeconds() - 20), toleranceSeconds: 10 });
    for (const lie of [String(nowSeconds() - 1), 'soon', '', '1e9', '-1'])
      await refuses({ body, headers: { ...sign(), 'webhook-timestamp': lie }, secret: SECRET }, lie);
    await refuses({ body, headers: { ...sign(), 'webhook-id': 'other' }, secret: SECRET });
  });

  it('accepts a valid signature among invalid ones, and one of several secrets', async () => {
    const headers = sign();
    const signature = `v1,AAAA v1,${'A'.repeat(43)}= v2,x ${headers['webhook-signature']}`;
    const input = { ...headers, 'webhook-signature': signature };
    assert.deepEqual(await verifyWebhook({ body, headers: input, secret: ['old', SECRET] }), event);
    await refuses({
      body,
      headers: { ...headers, 'webhook-signature': 'v1,AAAA v1,%%% v2,x' },
      secret: SECRET,
    });
  });

  it('checks at most sixteen signatures', async () => {
    const headers = sign();
    const many = `${'v1,AAAA '.repeat(16)}${headers['webhook-signature']}`;
    await refuses({ body, headers: { ...headers, 'webhook-signature': many }, secret: SECRET });
  });

  it('does not fall back to the form without a timestamp', async () => {
    const headers = { 'X-Service-Signature': sign()['X-Service-Signature'] };
    await refuses({ body, headers, secret: SECRET });
    assert.deepEqual(await verifyWebhook({ body, headers, secret: SECRET, form: 'body' }), event);
  });

  it('refuses headers that are missing, repeated or malformed', async () => {
    for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature'])
      await refuses({ body, headers: { ...sign(), [name]: undefined }, secret: SECRET }, name);
    await refuses({ body, headers: { ...sign(), 'webhook-id': ['a', 'b'] }, secret: SECRET });
    for (const lie of ['', 'sha256=', 'sha256=zz', 'sha1=00', `${sign()['X-Service-Signature']}00`])
      await refuses({ body, headers: { 'X-Service-Signature': lie }, secret: SECRET, form: 'body' }, lie);
  });
});
