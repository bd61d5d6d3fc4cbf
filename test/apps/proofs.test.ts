// Tests that proofs of work are refused if they are replayed, precomputed, expired, forged, malformed or for another app.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { createChallenge } from 'altcha-lib';
import type { Challenge } from 'altcha-lib/types';
import { createAppChallenge } from '../../src/apps/proof.ts';
import { findAppBySlug } from '../../src/apps/store/apps.ts';
import { createTestApp, type TestApp } from '../support/app.ts';
import { solveChallenge } from '../support/apps/visitors.ts';
import { createWorkflow, edge, node } from '../support/workflows.ts';

const GRAPH = {
  nodes: [node('topic', 'input:text', { value: 'a fox' }), node('out', 'output:preview')],
  edges: [edge('topic.text > out.input')],
};
const LIFETIME_MS = 600_000;

let nowMs = Date.now();
let test: TestApp;
before(async () => {
  test = await createTestApp({ now: () => nowMs });
  const owner = await test.createUser();
  for (const slug of ['proven', 'another']) {
    const { id } = await createWorkflow(owner, GRAPH);
    const app = {
      slug,
      title: 'App',
      inputs: [],
      outputs: ['out'],
      audience: 'anyone',
      runsPerVisitor: 1000,
    };
    assert.equal((await owner.request('PUT', `/workflows/${id}/app`, app)).status, 200);
  }
});
after(() => test.close());

const getChallenge = async (slug = 'proven'): Promise<Challenge> =>
  (await test.anonymous.request<Challenge & Record<string, unknown>>('GET', `/apps/${slug}/challenge`)).body;
const run = (proof?: string, slug = 'proven') =>
  test.anonymous.request('POST', `/apps/${slug}/run`, {
    inputs: {},
    ...(proof === undefined ? {} : { proof }),
  });
const toProof = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64');
const parseProof = (proof: string) =>
  JSON.parse(Buffer.from(proof, 'base64').toString()) as Record<string, unknown>;
const assertRefused = async (proof: string | undefined, what: string): Promise<void> => {
  const { status, body } = await run(proof);
  assert.deepEqual([status, body.code], [403, 'invalid_proof'], what);
};

it('a run of an app accepts each proof only once', async () => {
  const proof = solveChallenge(await getChallenge());
  const statuses = await Promise.all(Array.from({ length: 5 }, async () => (await run(proof)).status));
  assert.deepEqual(statuses.sort(), [202, 403, 403, 403, 403]);
  await assertRefused(proof, 'replay');
  await assertRefused(toProof({ ...parseProof(proof), extra: 1 }), 'replay with other bytes');
});

it('a run of an app needs one proof for all requests with the same idempotency key', async () => {
  const proof = solveChallenge(await getChallenge());
  const send = async (body: object) => {
    const { statusCode, body: text } = await test.app.inject({
      method: 'POST',
      url: '/api/v1/apps/proven/run',
      headers: { 'content-type': 'application/json', 'idempotency-key': 'same' },
      payload: JSON.stringify(body),
    });
    return [statusCode, (JSON.parse(text) as { runId?: string }).runId];
  };
  const [first, ...others] = await Promise.all(Array.from({ length: 8 }, () => send({ inputs: {}, proof })));
  assert.equal(first?.[0], 202);
  for (const other of others) assert.deepEqual(other, first);
});

it('a run of an app refuses a proof for another app', async () => {
  await assertRefused(solveChallenge(await getChallenge('another')), 'another app');
});

it('a run of an app refuses proofs with a guessed key, a future issue time or a past expiry', async () => {
  const app = await findAppBySlug(test.deps.db, 'proven');
  assert.ok(app);
  const forgedChallenge = await createChallenge({
    hmacKey: 'guessed',
    maxnumber: 100,
    expires: new Date(nowMs + 60_000),
  });
  await assertRefused(solveChallenge(forgedChallenge), 'signed with another key');
  const future = await createAppChallenge({ ...test.deps, now: () => nowMs + LIFETIME_MS }, app);
  await assertRefused(solveChallenge(future), 'issued in the future');
  const proof = solveChallenge(await getChallenge());
  nowMs += LIFETIME_MS + 1000;
  await assertRefused(proof, 'expired');
});

it('a run of an app refuses a proof whose expiry was extended by digits of the number', async () => {
  const proof = parseProof(solveChallenge(await getChallenge()));
  const digits = String(proof.number);
  for (let count = 1; count < digits.length; count++) {
    if (digits[count] === '0') continue;
    const extended = {
      ...proof,
      salt: `${proof.salt}${digits.slice(0, count)}`,
      number: Number(digits.slice(count)),
    };
    await assertRefused(toProof(extended), `${count} digits`);
  }
  assert.equal((await run(toProof(proof))).status, 202);
});

it('a run of an app refuses forged and malformed proofs', async () => {
  const proof = parseProof(solveChallenge(await getChallenge()));
  for (const members of [
    { number: Number(proof.number) + 1 },
    { number: String(proof.number) },
    { number: 0.5 },
    { number: -1 },
    { number: null },
    { algorithm: 'SHA-512' },
    { algorithm: undefined },
    { challenge: '00' },
    { challenge: [proof.challenge] },
    { salt: '' },
    { salt: String(proof.salt).replace(/expires=\d+/, 'expires=99999999999') },
    { salt: String(proof.salt).replace(/expires=\d+/, 'expires=1') },
    { salt: {} },
    { signature: `${proof.signature}0` },
    { signature: null },
  ])
    await assertRefused(toProof({ ...proof, ...members }), JSON.stringify(members));
  for (const value of [null, 5, [], 'text', {}, [proof]])
    await assertRefused(toProof(value), JSON.stringify(value));
  for (const text of ['', '{', '%%%', 'x'.repeat(2000)]) await assertRefused(text, text);
  await assertRefused(undefined, 'none');
  assert.equal((await run('x'.repeat(2001))).status, 400);
  assert.equal((await run(toProof(proof))).status, 202);
});
