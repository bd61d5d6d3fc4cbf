// Tests webhooks of providers: only a webhook with a valid signature wakes the waiting run.
import assert from 'node:assert/strict';
import { createHmac, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { after, beforeEach, describe, it } from 'node:test';
import type { Client } from '../support/client.ts';
import { modelGraph, setUpPaidService, waitForSuspension } from '../support/credits/paid.ts';
import { plainImage } from '../support/media/pixels.ts';
import { waitUntil } from '../support/processes.ts';
import { signFalCallback } from '../support/providers/fal.ts';
import { type ReplicateDouble, startReplicate } from '../support/providers/replicate.ts';
import { edge, node } from '../support/workflows.ts';

let replicate: ReplicateDouble;
let user: Client;
let keys: { readonly publicKey: KeyObject; readonly privateKey: KeyObject };
const paid = setUpPaidService(async () => {
  keys = generateKeyPairSync('ed25519');
  replicate = await startReplicate(await plainImage(8, 8, '#336699'));
  replicate.state.end = { status: 'succeeded', output: `${replicate.url}/delivery/a.png` };
  return {
    BASE_URL: 'https://graphwright.example.com',
    REPLICATE_API_TOKEN: 'r8-key',
    REPLICATE_BASE_URL: `${replicate.url}/v1`,
    CREDENTIALS_BASE_URLS: 'instance',
  };
});
after(() => replicate.close());
beforeEach(async () => {
  paid.fal.keys = [keys.publicKey.export({ format: 'jwk' })];
  paid.fal.polls = 1e9;
  user = await paid.newUser(100);
});

/** Returns the path of the callback URL that the newest call passed to fal. */
const readCallbackPath = (): string => {
  const { path } = paid.fal.requests.findLast(({ method }) => method === 'POST') ?? { path: '' };
  const address = new URLSearchParams(path.split('?')[1]).get('fal_webhook') ?? '';
  assert.match(address, /^https:\/\/graphwright\.example\.com\/hooks\/fal\/[\w-]{32}$/);
  return paid.service.url + new URL(address).pathname;
};
const startWaiting = async (graph: object = modelGraph(), client = user): Promise<string> => {
  const id = await client.startRun(await client.createWorkflow(graph));
  await waitForSuspension(paid, id);
  return id;
};
const sendFalCallback = async (
  callbackUrl: string,
  forged: { key?: KeyObject; atMs?: number; body?: string; sent?: string } = {},
): Promise<number> => {
  const { key = keys.privateKey, atMs = Date.now(), body = '{"status":"OK"}' } = forged;
  const { status } = await fetch(callbackUrl, {
    method: 'POST',
    headers: signFalCallback(body, key, atMs),
    body: forged.sent ?? body,
  });
  return status;
};

describe('a webhook from fal', () => {
  it('wakes the run even if the webhook is sent several times', async () => {
    const id = await startWaiting();
    // Without the webhook, the call would be polled in an hour.
    await paid.service.db.query(
      `update calls set due_at = now() + interval '1 hour' where execution_id = $1`,
      [id],
    );
    paid.fal.polls = 0;
    const callbackUrl = readCallbackPath();
    assert.deepEqual(
      await Promise.all([sendFalCallback(callbackUrl), sendFalCallback(callbackUrl)]),
      [200, 200],
    );
    assert.equal((await user.waitForStatus(id)).status, 'COMPLETED');
    assert.equal(await sendFalCallback(callbackUrl), 200);
  });

  it('does not end a call that is still active at the provider', async () => {
    const id = await startWaiting();
    assert.equal(
      await sendFalCallback(readCallbackPath(), {
        body: '{"status":"OK","payload":{"images":[{"url":"https://evil.example"}]}}',
      }),
      200,
    );
    await waitUntil('a poll without a result', async () => {
      const { rows } = await paid.service.db.query('select from calls where execution_id = $1 and asks > 0', [
        id,
      ]);
      return rows.length === 1;
    });
    assert.equal((await user.readExecution(id)).status, 'RUNNING');
    await user.request('POST', `/executions/${id}/cancel`);
  });

  it('ends no call if its signature is invalid or its call is unknown', async () => {
    const id = await startWaiting();
    const callbackUrl = readCallbackPath();
    assert.equal(await sendFalCallback(callbackUrl, { key: generateKeyPairSync('ed25519').privateKey }), 401);
    assert.equal(await sendFalCallback(callbackUrl, { atMs: Date.now() - 3_600_000 }), 401);
    assert.equal(await sendFalCallback(callbackUrl, { sent: '{"status":"ERROR"}' }), 401);
    assert.equal((await fetch(callbackUrl, { method: 'POST', body: '{}' })).status, 401);
    assert.equal(await sendFalCallback(callbackUrl.replace('/fal/', '/nobody/')), 404);
    assert.equal(await sendFalCallback(callbackUrl.replace(/[\w-]{32}$/, 'x'.repeat(32))), 200);
    assert.equal(await sendFalCallback(callbackUrl, { body: 'x'.repeat(10_000_000) }), 413);
    const { rows } = await paid.service.db.query<{ ended_at: Date | null }>(
      'select ended_at from calls where execution_id = $1',
      [id],
    );
    assert.equal(rows[0]?.ended_at, null);
    await user.request('POST', `/executions/${id}/cancel`);
    assert.equal(await sendFalCallback(callbackUrl), 200);
    assert.equal((await user.readExecution(id)).status, 'CANCELLED');
  });

  it('does not count toward the rate limit of anonymous requests', async () => {
    const statuses = await Promise.all(
      Array.from({ length: 80 }, () => sendFalCallback(`${paid.service.url}/hooks/fal/${'y'.repeat(32)}`)),
    );
    assert.deepEqual([...new Set(statuses)], [200]);
  });
});

describe('a webhook from Replicate', () => {
  const graph = {
    nodes: [node('m', 'generate:replicate_flux_pro', { prompt: 'a fox' }), node('end', 'output:preview')],
    edges: [edge('m.image > end.input')],
  };
  const sendSigned = async (callbackUrl: string, secret: string, sent?: string): Promise<number> => {
    const [id, timestamp, body] = ['msg_1', String(Math.floor(Date.now() / 1000)), '{"status":"succeeded"}'];
    const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
    const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
    const headers = {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${signature}`,
    };
    return (await fetch(callbackUrl, { method: 'POST', headers, body: sent ?? body })).status;
  };

  /** Postpones the next poll of the call by an hour. Returns the callback URL that Replicate received. */
  const postponePolls = async (id: string): Promise<string> => {
    await paid.service.db.query(
      `update calls set due_at = now() + interval '1 hour' where execution_id = $1`,
      [id],
    );
    const submission = replicate.requests.findLast(({ path }) => path.endsWith('/predictions'));
    const { pathname } = new URL(String(submission?.json.webhook));
    assert.match(pathname, /^\/hooks\/replicate\/[\w-]{32}$/);
    return paid.service.url + pathname;
  };

  it("wakes the run only if it is signed with the account's secret", async () => {
    replicate.state.polls = 1e9;
    const id = await startWaiting(graph);
    const callbackUrl = await postponePolls(id);
    const secret = replicate.state.secrets.get('r8-key') ?? '';
    assert.equal(await sendSigned(callbackUrl, 'whsec_b3RoZXI='), 401);
    assert.equal(await sendSigned(callbackUrl, secret, '{"status":"failed"}'), 401);
    assert.equal(await sendSigned(callbackUrl.replace(/[\w-]{32}$/, 'z'.repeat(32)), secret), 200);
    const { rows } = await paid.service.db.query(
      'select from calls where ended_at is null and execution_id = $1',
      [id],
    );
    assert.equal(rows.length, 1);
    replicate.state.polls = 0;
    assert.deepEqual(
      await Promise.all([sendSigned(callbackUrl, secret), sendSigned(callbackUrl, secret)]),
      [200, 200],
    );
    assert.equal((await user.waitForStatus(id)).status, 'COMPLETED');
    assert.equal(await sendSigned(callbackUrl, secret), 200);
    assert.equal(replicate.created.length, 1);
  });

  it('is verified with the secret of the account that submitted the call', async () => {
    const accounts = [
      ['r8-account-one', 'whsec_b25lb25lb25l'],
      ['r8-account-two', 'whsec_dHdvdHdvdHdv'],
    ] as const;
    replicate.state.polls = 1e9;
    const waitingRuns: { id: string; client: Client; callbackUrl: string; credential: string }[] = [];
    for (const [apiKey, secret] of accounts) {
      replicate.state.secrets.set(apiKey, secret);
      const client = await paid.newUser(0);
      const stored = await client.request<{ id: string }>('POST', '/credentials', {
        kind: 'replicate',
        name: apiKey,
        owner: 'workspace',
        values: { apiKey },
      });
      const id = await startWaiting(graph, client);
      waitingRuns.push({ id, client, callbackUrl: await postponePolls(id), credential: stored.body.id });
    }
    const [one, two] = waitingRuns;
    assert.ok(one !== undefined && two !== undefined);
    const [[, secretOne], [, secretTwo]] = accounts;
    assert.equal(await sendSigned(one.callbackUrl, secretTwo), 401);
    assert.equal(await sendSigned(two.callbackUrl, secretOne), 401);
    assert.equal(await sendSigned(two.callbackUrl, replicate.state.secrets.get('r8-key') ?? ''), 401);
    // The webhooks of active calls keep their signer even if the credential is replaced or deleted.
    replicate.state.secrets.set('r8-account-new', 'whsec_bmV3bmV3bmV3');
    const replaced = await one.client.request('PATCH', `/credentials/${one.credential}`, {
      values: { apiKey: 'r8-account-new' },
    });
    assert.equal(replaced.status, 200);
    const deleted = await two.client.request('DELETE', `/credentials/${two.credential}?force=true`);
    assert.equal(deleted.status, 200);
    replicate.state.polls = 0;
    for (const [{ callbackUrl, client, id }, secret] of [
      [one, secretOne],
      [two, secretTwo],
    ] as const) {
      assert.equal(await sendSigned(callbackUrl, secret), 200);
      assert.equal((await client.waitForStatus(id)).status, 'COMPLETED');
      // A provider would repeat the webhook if it were not accepted.
      assert.equal(await sendSigned(callbackUrl, secret), 200);
    }
  });
});
