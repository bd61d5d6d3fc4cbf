// Tests the webhook member of a run request: what is accepted, what is refused, and when this machine may be called.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AppError } from '../../../src/lib/errors.ts';
import { readSettings } from '../../../src/lib/settings.ts';
import {
  decryptSecret,
  encryptTarget,
  findWebhookError,
  parseWebhook,
} from '../../../src/services/webhooks/webhook-target.ts';

const LOCAL_SETTINGS = readSettings({});
const createUrl = (length: number): string => `https://example.com/${'x'.repeat(length - 20)}`;

const findErrorPath = (block: unknown, settings = LOCAL_SETTINGS): string | undefined => {
  try {
    parseWebhook(settings, block);
    return undefined;
  } catch (err) {
    assert.ok(err instanceof AppError && err.code === 'invalid_webhook', String(err));
    return err.issues?.[0]?.path;
  }
};

describe('parseWebhook', () => {
  it('accepts a list of what the event includes', () => {
    const url = 'https://example.com';
    const parse = (include: unknown) => parseWebhook(LOCAL_SETTINGS, { url, include });
    assert.deepEqual(parse(['outputs', 'outputs'])?.include, ['outputs']);
    for (const include of [undefined, null, []]) assert.deepEqual(parse(include), { url, secret: null });
    for (const include of ['outputs', ['inputs'], [1], {}])
      assert.throws(() => parse(include), {
        code: 'invalid_webhook',
        message: 'webhook.include must be a list of "outputs".',
      });
    assert.throws(() => parseWebhook(LOCAL_SETTINGS, { url, include: ['outputs'] }, []), {
      code: 'invalid_webhook',
      message: 'webhook.include must be empty: it is for runs only.',
    });
  });

  it('accepts a url with or without a secret', () => {
    assert.deepEqual(parseWebhook(LOCAL_SETTINGS, { url: 'https://example.com/x?y=1' }), {
      url: 'https://example.com/x?y=1',
      secret: null,
    });
    const longest = { url: createUrl(2048), secret: 's'.repeat(1024) };
    assert.deepEqual(parseWebhook(LOCAL_SETTINGS, longest), longest);
    assert.equal(parseWebhook(LOCAL_SETTINGS, { url: 'https://example.com', secret: null })?.secret, null);
    assert.equal(parseWebhook(LOCAL_SETTINGS, { url: 'https://example.com', secret: '' })?.secret, null);
    assert.equal(parseWebhook(LOCAL_SETTINGS, undefined), undefined);
  });

  it('refuses an invalid block with a pointer to the invalid member', () => {
    assert.equal(findErrorPath('https://example.com'), '/webhook');
    assert.equal(findErrorPath([]), '/webhook');
    assert.equal(findErrorPath({ url: 'https://example.com', events: [] }), '/webhook/events');
    assert.equal(findErrorPath({ url: 'https://example.com', secret: 1 }), '/webhook/secret');
    assert.equal(findErrorPath({ url: 'https://example.com', secret: 'x'.repeat(1025) }), '/webhook/secret');
    const encode = (bytes: number): string => `whsec_${Buffer.alloc(bytes, 1).toString('base64')}`;
    for (const secret of [
      'whsec_',
      'whsec_!!!!!!!!!!!!!!!!',
      `${encode(24)}!`,
      encode(24).slice(0, -1),
      encode(23),
    ])
      assert.equal(findErrorPath({ url: 'https://example.com', secret }), '/webhook/secret', secret);
    for (const bytes of [24, 25, 32])
      assert.equal(findErrorPath({ url: 'https://example.com', secret: encode(bytes) }), undefined);
    for (const url of [
      undefined,
      '',
      7,
      'example.com',
      'ftp://example.com',
      'file:///etc/passwd',
      'http://example.com',
      'http://localhost.example.com',
      'https://user:word@example.com',
      'https://user@example.com',
      'https://:word@example.com',
      createUrl(2049),
    ]) {
      assert.equal(findErrorPath({ url }), '/webhook/url', String(url));
    }
  });

  it('accepts loopback addresses only if HOST is one or ALLOW_PRIVATE_NETWORK is true', () => {
    const loopbackUrls = [
      'http://localhost:9/x',
      'http://127.0.0.1:9',
      'http://a.localhost',
      'https://localhost',
    ];
    const onAllAddresses = readSettings({ HOST: '0.0.0.0' });
    const inNetwork = readSettings({ HOST: '192.0.2.7', BASE_URL: 'http://localhost:3000' });
    const withPublicUrl = readSettings({ BASE_URL: 'https://flows.example.com' });
    const separateApi = readSettings({ ROLE: 'api', DATABASE_URL: 'postgres://x/y' });
    const privateAllowed = readSettings({
      BASE_URL: 'https://flows.example.com',
      ALLOW_PRIVATE_NETWORK: 'true',
    });
    for (const url of loopbackUrls) {
      assert.equal(findErrorPath({ url }), undefined, url);
      for (const settings of [onAllAddresses, inNetwork, withPublicUrl])
        assert.equal(findErrorPath({ url }, settings), '/webhook/url', url);
      assert.equal(findErrorPath({ url }, readSettings({ HOST: '::1' })), undefined, url);
      assert.equal(findErrorPath({ url }, separateApi), '/webhook/url', url);
      assert.equal(findErrorPath({ url }, privateAllowed), undefined, url);
    }
  });
});

describe('findWebhookError', () => {
  it('returns what parseWebhook throws', () => {
    const deps = { settings: LOCAL_SETTINGS };
    assert.equal(findWebhookError(deps, { url: 'https://example.com' }), undefined);
    const error = findWebhookError(deps, { url: '' });
    assert.ok(error instanceof AppError);
    assert.deepEqual(
      [error.code, error.issues?.map(({ path, code }) => [path, code])],
      ['invalid_webhook', [['/webhook/url', 'invalid_webhook']]],
    );
  });
});

describe('encryptTarget', () => {
  const deps = { secretsKey: Buffer.alloc(32, 7) };

  it('stores the secret so that only decryptSecret reads it', () => {
    const { url, secret } = JSON.parse(
      encryptTarget(deps, { url: 'https://example.com', secret: 'hunter2' }),
    );
    assert.equal(url, 'https://example.com');
    assert.doesNotMatch(Buffer.from(secret, 'base64').toString('latin1'), /hunter2/);
    assert.equal(decryptSecret(deps, Buffer.from(secret, 'base64')), 'hunter2');
  });

  it('stores null if there is no secret', () => {
    assert.equal(JSON.parse(encryptTarget(deps, { url: 'https://example.com', secret: null })).secret, null);
  });
});
