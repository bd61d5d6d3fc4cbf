// Tests webhook signatures with third-party verifiers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verify } from '@octokit/webhooks-methods';
import { Webhook } from 'standardwebhooks';
import { signWebhook } from '../../../src/services/webhooks/webhook-signature.ts';

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
