// Tests links with which people without an account decide: they work once, as long as the approval waits.
import assert from 'node:assert/strict';
import { after, before, beforeEach, it } from 'node:test';
import { mapStates, type Reply, type TestUser } from '../../support/client.ts';
import { waitUntil } from '../../support/processes.ts';
import { type Approval, decide, getDecision, startAsking } from '../../support/runs/approvals.ts';
import { startTestService, type TestService } from '../../support/service.ts';

const GUEST = 'guest@example.org';

let service: TestService;
let owner: TestUser;
before(async () => {
  service = await startTestService();
});
after(() => service.close());
beforeEach(async () => {
  owner = await service.createUser({ name: 'Olga' });
});

/** Sends a request without a key. */
async function send(path: string, body: object): Promise<Reply<Approval & { readonly email?: string }>> {
  const response = await fetch(`${service.url}/api/v1${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Approval };
}
const open = (token: string) => send('/approvals/link', { token });
const decideBy = (token: string, body: object) => send('/approvals/link/decision', { token, ...body });

async function findPath(run: string): Promise<string> {
  const { nodeStates } = await owner.readExecution(run);
  const states = nodeStates as readonly { readonly approval?: { readonly id: string } }[];
  return `/approvals/${states.find(state => state.approval !== undefined)?.approval?.id}`;
}

async function startWithLink(config: Record<string, unknown> = {}): Promise<{ run: string; token: string }> {
  const run = await startAsking(owner, { assignees: [GUEST], message: 'Good?', ...config });
  const path = await findPath(run);
  await waitUntil('the assignees', async () => {
    const { body } = await owner.request<Approval>('GET', path);
    return body.assignees.length > 0;
  });
  const { status, body } = await owner.request<{ url: string }>('POST', `${path}/link`, { email: GUEST });
  assert.equal(status, 200, JSON.stringify(body));
  const [page, token = ''] = body.url.split('#');
  assert.equal(new URL(page ?? '').pathname, '/approve');
  return { run, token };
}

it('a link shows only what waits, and is not used by that', async () => {
  const { token } = await startWithLink();
  await open(token);
  const { status, body } = await open(token);
  assert.equal(status, 200);
  assert.deepEqual(Object.keys(body).sort(), [
    'createdAt',
    'decision',
    'editable',
    'email',
    'expiresAt',
    'id',
    'items',
    'label',
    'mailsStopped',
    'message',
    'startedBy',
    'status',
    'truncated',
    'type',
  ]);
  assert.deepEqual([body.items[0]?.text, body.email], ['draft', GUEST]);
});

it('a decision by a link is recorded with the email', async () => {
  const { run, token } = await startWithLink({ editableInputs: true });
  const reply = await decideBy(token, { decision: 'approve', comment: 'Fine', edits: { input: 'better' } });
  assert.deepEqual([reply.status, reply.body.status, reply.body.items], [200, 'approved', []]);
  const record = await owner.waitForStatus(run);
  assert.equal(mapStates(record).yes?.text, 'better');
  assert.deepEqual(getDecision(record)?.by, {
    via: 'link',
    email: GUEST,
    linkCreatedBy: owner.userId,
  });
});

it('a link works once, also for requests at the same time', async () => {
  const { run, token } = await startWithLink();
  const replies = await Promise.all(
    ['approve', 'reject', 'approve'].map(decision => decideBy(token, { decision })),
  );
  assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 409, 409]);
  await owner.waitForStatus(run);
  const { body } = await decideBy(token, { decision: 'reject' });
  assert.equal(body.code, 'already_decided');
  assert.deepEqual((await open(token)).body.items, []);
});

it('a link does not decide after the decision of somebody else, or the end of the run', async () => {
  const decided = await startWithLink();
  await decide(owner, decided.run, { decision: 'reject' });
  assert.equal((await decideBy(decided.token, { decision: 'approve' })).status, 409);
  const cancelled = await startWithLink();
  await owner.request('POST', `/executions/${cancelled.run}/cancel`);
  assert.equal((await decideBy(cancelled.token, { decision: 'approve' })).status, 409);
  assert.equal((await open(cancelled.token)).body.status, 'cancelled');
});

it('only owners create links, and only for assignees without an account', async () => {
  const { run } = await startWithLink();
  const path = `${await findPath(run)}/link`;
  const other = await service.createUser();
  assert.equal((await other.request('POST', path, { email: GUEST })).status, 403);
  assert.equal((await owner.request('POST', path, { email: other.email })).status, 404);
  await decide(owner, run, { decision: 'approve' });
  assert.equal((await owner.request('POST', path, { email: GUEST })).status, 409);
});

it('the database has only the hash of a link', async () => {
  const { token } = await startWithLink();
  const { rows } = await service.db.query<{ links: string }>(
    `select string_agg(l::text, ' ') as links from approval_links l`,
  );
  assert.ok(rows[0]?.links !== '' && rows[0]?.links.includes(token) === false);
});

it('guesses of links are refused, and limited by network', async () => {
  const codes = new Set<string | undefined>();
  for (let count = 0; count < 101; count++) codes.add((await open(`guess-${count}`)).body.code);
  assert.deepEqual([...codes], ['invalid_link', 'rate_limited']);
});
