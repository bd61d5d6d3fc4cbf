// Tests who is asked and named by approvals: components of other workspaces, assignees who are gone, links, lint.
import assert from 'node:assert/strict';
import { after, before, beforeEach, it } from 'node:test';
import type { TestUser } from '../support/client.ts';
import { type MailServer, startMailServer } from '../support/network/mail-server.ts';
import { waitUntil } from '../support/processes.ts';
import {
  type Approval,
  createApprovalGraph,
  decide,
  getDecision,
  listApprovals,
  startAsking,
  waitForApproval,
} from '../support/runs/approvals.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { edge, node } from '../support/workflows.ts';

const GUEST = 'guest@example.org';

let mailServer: MailServer;
let service: TestService;
let owner: TestUser;
let other: TestUser;
before(async () => {
  mailServer = await startMailServer();
  service = await startTestService({ SMTP_URL: mailServer.url, MAIL_FROM: 'no-reply@example.com' });
});
after(async () => {
  await service.close();
  await mailServer.close();
});
beforeEach(async () => {
  [owner, other] = await Promise.all([
    service.createUser({ name: 'Olga' }),
    service.createUser({ name: 'Otto' }),
  ]);
});

async function share(from: TestUser, workflow: string, to: TestUser, role: string): Promise<void> {
  const path = `/workflows/${workflow}/permissions`;
  const { status, body } = await from.request('PUT', path, { email: to.email, role });
  assert.ok(status < 300, JSON.stringify(body));
}

async function readAssignees(run: string): Promise<Approval['assignees']> {
  let found: Approval['assignees'] = [];
  await waitUntil('the assignees', async () => {
    const { rows } = await service.db.query<{ id: string }>(
      'select id from approvals where execution_id = $1 and notified_at is not null',
      [run],
    );
    if (rows[0] === undefined) return false;
    found = (await owner.request<Approval>('GET', `/approvals/${rows[0].id}`)).body.assignees;
    return true;
  });
  return found;
}

async function sendByLink(path: string, body: object) {
  const response = await fetch(`${service.url}/api/v1/approvals/link${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, text: await response.text() };
}

async function createLink(approval: string, email = GUEST): Promise<string> {
  const { status, body } = await owner.request<{ url: string }>('POST', `/approvals/${approval}/link`, {
    email,
  });
  assert.equal(status, 200, JSON.stringify(body));
  return body.url.split('#')[1] ?? '';
}

const findMails = (address: string) => mailServer.received.filter(({ to }) => to.includes(address));

it('a component of another workspace asks only people with access to the calling workflow', async () => {
  const component = await other.createWorkflow(createApprovalGraph({ assignees: [GUEST, other.email] }));
  await share(other, component, owner, 'VIEW');
  const workflow = await owner.createWorkflow({
    nodes: [node('call', 'component:call', { workflowId: component })],
    edges: [],
  });
  const run = await owner.startRun(workflow);
  await owner.waitForStatus(run, 'WAITING');
  // Before the job has stored the assignees, too.
  const early = await decide(other, run, { decision: 'approve' }, 'call/ask');
  assert.equal(early.status, 403, JSON.stringify(early.body));
  assert.deepEqual(
    (await readAssignees(run)).map(({ userId }) => userId),
    [owner.userId],
  );
  assert.equal((await decide(other, run, { decision: 'approve' }, 'call/ask')).status, 403);
  assert.deepEqual(await listApprovals(other), []);
  assert.deepEqual(findMails(GUEST), []);
  assert.equal((await decide(owner, run, { decision: 'approve' }, 'call/ask')).status, 200);
  // With access to the calling workflow, its author is asked.
  await share(owner, workflow, other, 'VIEW');
  const next = await owner.startRun(workflow);
  await waitForApproval(other, next);
  assert.equal((await decide(other, next, { decision: 'approve' }, 'call/ask')).status, 200);
});

it('the owners are asked if no assignee is left, and not who started the run', async () => {
  const workflow = await owner.createWorkflow(createApprovalGraph({ assignees: [2_000_000_000] }));
  await share(owner, workflow, other, 'EDIT');
  const run = await other.startRun(workflow);
  await waitForApproval(owner, run);
  assert.equal((await decide(other, run, { decision: 'approve' })).status, 403);
  assert.equal((await decide(owner, run, { decision: 'reject' })).status, 200);
});

it('an assignee who is deactivated can no longer decide, also by an earlier link', async () => {
  const run = await startAsking(owner, { assignees: [other.email] });
  await waitForApproval(other, run);
  await waitUntil('the mail', () => findMails(other.email).length > 0);
  const token = /#([\w-]{43})/.exec(findMails(other.email)[0]?.text ?? '')?.[1] ?? '';
  assert.equal((await sendByLink('', { token })).status, 200);
  await service.request('PATCH', `/admin/users/${other.userId}`, { disabled: true });
  assert.equal((await sendByLink('/decision', { token, decision: 'approve' })).status, 400);
  await waitUntil(
    'the key to be refused',
    async () => (await decide(other, run, { decision: 'approve' })).status === 401,
  );
  assert.equal((await owner.readExecution(run)).status, 'WAITING');
});

it('a decision by a link that an owner created names that owner', async () => {
  const run = await startAsking(owner, { assignees: [GUEST] });
  await readAssignees(run);
  const { rows } = await service.db.query<{ id: string }>(
    'select id from approvals where execution_id = $1',
    [run],
  );
  const token = await createLink(rows[0]?.id ?? '');
  assert.equal((await sendByLink('/decision', { token, decision: 'approve' })).status, 200);
  assert.deepEqual(getDecision(await owner.waitForStatus(run))?.by, {
    via: 'link',
    email: GUEST,
    linkCreatedBy: owner.userId,
  });
});

it('a person with a link does not see the addresses of those who decided', async () => {
  const run = await startAsking(owner, { assignees: [GUEST, 'second@example.org', other.email] });
  const { id } = await waitForApproval(other, run);
  const token = await createLink(id);
  assert.equal((await decide(other, run, { decision: 'approve' })).status, 200);
  for (const { text } of [
    await sendByLink('', { token }),
    await sendByLink('/decision', { token, decision: 'reject' }),
  ]) {
    assert.match(text, /Otto/);
    assert.ok(!text.includes(other.email) && !text.includes('second@'), text);
  }
});

it('a person without an account stops mails, and gets them again', async () => {
  const address = `stop-${Math.random().toString(36).slice(2)}@example.org`;
  const ask = async () => readAssignees(await startAsking(owner, { assignees: [address] }));
  assert.equal((await ask())[0]?.mail, 'queued');
  await waitUntil('the mail', () => findMails(address).length > 0);
  const [mail] = findMails(address);
  const [, token = ''] = /Stop mails about approvals: \S+#([\w-]{43})\.stop/.exec(mail?.text ?? '') ?? [];
  assert.match(mail?.html ?? '', /\.stop">Stop mails about approvals<\/a>/);
  const stopped = await sendByLink('/mails', { token, isStopped: true });
  assert.deepEqual([stopped.status, JSON.parse(stopped.text).mailsStopped], [200, true]);
  assert.equal((await ask())[0]?.mail, 'stopped');
  assert.equal((await sendByLink('/mails', { token, isStopped: false })).status, 200);
  assert.equal((await ask())[0]?.mail, 'queued');
  await waitUntil('the second mail', () => findMails(address).length === 2);
  assert.equal((await sendByLink('/mails', { token: 'guess', isStopped: true })).status, 400);
});

it('lint warns of assignees without access, and of those who get no mail', async () => {
  const workflow = await owner.createWorkflow(createApprovalGraph({ assignees: [owner.email] }));
  interface Answer {
    readonly issues?: readonly { readonly code: string; readonly nodeId: string; readonly message: string }[];
    readonly meta?: Answer;
  }
  const listCodes = ({ issues, meta }: Answer) =>
    (issues ?? meta?.issues ?? [])
      .filter(({ code }) => code.startsWith('assignee_'))
      .map(({ code, nodeId, message }) => `${code} ${nodeId} ${message.split(' has ')[0]}`);
  const graph = createApprovalGraph({
    assignees: [owner.userId, 2_000_000_000, GUEST, other.email, other.userId],
  });
  const expected = [
    'assignee_without_access ask The user 2000000000 does not exist, is deactivated, or',
    `assignee_without_access ask ${GUEST}`,
    `assignee_without_access ask ${other.email}`,
    `assignee_without_access ask The user ${other.userId} does not exist, is deactivated, or`,
  ];
  const put = await owner.request<Answer>('PUT', `/workflows/${workflow}`, graph);
  assert.deepEqual(listCodes(put.body), expected);
  const lint = await owner.request<Answer>('POST', `/workflows/${workflow}/lint`, {});
  assert.deepEqual(listCodes(lint.body), expected);
  const created = await owner.request<Answer>('POST', '/workflows', { name: 'New', ...graph });
  assert.deepEqual(listCodes(created.body), expected);
  await share(owner, workflow, other, 'VIEW');
  const shared = await owner.request<Answer>('POST', `/workflows/${workflow}/lint`, {});
  assert.deepEqual(listCodes(shared.body), expected.slice(0, 2));
  const withoutMail = await startTestService();
  try {
    const user = await withoutMail.createUser();
    const { body } = await user.request<Answer>('POST', '/workflows/lint', graph);
    assert.ok(listCodes(body).includes(`assignee_without_mail ask ${GUEST}`), JSON.stringify(body));
  } finally {
    await withoutMail.close();
  }
});

it('HTML in names and values is shown as text in mails', async () => {
  const evil = '<img src=x onerror=alert(1)>';
  const run = await startAsking(owner, { assignees: [other.email], message: `${evil} "quoted"` });
  await waitForApproval(other, run);
  const graph = {
    nodes: [
      node('a', 'input:text', { value: evil }),
      node('ask', 'logic:approval', { assignees: [other.email], message: evil }),
    ],
    edges: [edge('a.text > ask.input')],
  };
  await owner.startRun(await owner.createWorkflow(graph));
  await waitUntil('the mails', () => findMails(other.email).length >= 2);
  for (const { html, text } of findMails(other.email)) {
    assert.ok(!html.includes('<img src=x'), html);
    assert.match(text, /<img src=x/);
  }
});
