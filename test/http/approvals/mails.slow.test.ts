// Tests the mails of approvals: they show what waits, and have a link with which the recipient decides.
import assert from 'node:assert/strict';
import { after, before, beforeEach, it } from 'node:test';
import type { TestUser } from '../../support/client.ts';
import { noiseImage } from '../../support/media/pixels.ts';
import { type MailServer, type ReceivedMail, startMailServer } from '../../support/network/mail-server.ts';
import { waitUntil } from '../../support/processes.ts';
import { createApprovalGraph, getDecision, startAsking } from '../../support/runs/approvals.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { edge, node } from '../../support/workflows.ts';

const GUEST = 'guest@example.org';

let service: TestService;
let mailServer: MailServer;
let owner: TestUser;
let assignee: TestUser;
before(async () => {
  mailServer = await startMailServer();
  service = await startTestService({
    SMTP_URL: mailServer.url,
    MAIL_FROM: 'Graphwright <no-reply@example.com>',
  });
});
after(async () => {
  await service.close();
  await mailServer.close();
});
beforeEach(async () => {
  [owner, assignee] = await Promise.all([
    service.createUser({
      name: 'Olga',
      keyScopes: ['workflows:read', 'workflows:write', 'workflows:execute', 'account:admin'],
    }),
    service.createUser(),
  ]);
});

async function waitForMail(address: string, count = 1): Promise<ReceivedMail> {
  const list = () => mailServer.received.filter(({ to }) => to.includes(address));
  await waitUntil(`mail ${count} to ${address}`, () => list().length >= count);
  return list()[count - 1] as ReceivedMail;
}

const findToken = ({ text }: ReceivedMail): string =>
  /\/approve#(?<token>[\w-]{43})/.exec(text)?.groups?.token ?? '';

async function decideByMail(mail: ReceivedMail, decision: string): Promise<number> {
  const response = await fetch(`${service.url}/api/v1/approvals/link/decision`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: findToken(mail), decision }),
  });
  return response.status;
}

it('assignees with and without an account get a mail that shows what waits, and whose link decides once', async () => {
  const run = await startAsking(owner, { assignees: [GUEST, assignee.email], message: 'Good?' });
  const [toGuest, toUser] = await Promise.all([waitForMail(GUEST), waitForMail(assignee.email)]);
  for (const mail of [toGuest, toUser]) {
    assert.equal(mail.headers.get('subject'), '“ask” waits for your approval');
    for (const part of [/Good\?/, /draft/, /Olga asks you/]) assert.match(mail.text, part);
  }
  assert.notEqual(findToken(toGuest), findToken(toUser));
  assert.equal(await decideByMail(toGuest, 'approve'), 200);
  assert.equal(await decideByMail(toGuest, 'approve'), 409);
  assert.equal(await decideByMail(toUser, 'reject'), 409);
  assert.deepEqual(getDecision(await owner.waitForStatus(run))?.by, { via: 'link', email: GUEST });
});

/** Reads the size from the header of the frame. */
function readJpegSize(jpeg: Buffer): { readonly width: number; readonly height: number } {
  assert.deepEqual([...jpeg.subarray(0, 2)], [0xff, 0xd8]);
  const frame = [0xc0, 0xc2]
    .map(marker => jpeg.indexOf(Buffer.from([0xff, marker, 0, 17])))
    .find(at => at > 0);
  assert.ok(frame !== undefined);
  return { height: jpeg.readUInt16BE(frame + 5), width: jpeg.readUInt16BE(frame + 7) };
}

it('the mail has a picture of an image that waits', async () => {
  const png = Buffer.from(await noiseImage(2000, 500, 'png'));
  const media = await owner.request<{ mediaId: string; url: string }>('POST', '/media/upload', {
    dataUrl: `data:image/png;base64,${png.toString('base64')}`,
  });
  const graph = createApprovalGraph(
    { assignees: [assignee.email] },
    node('a', 'input:image', { url: media.body.url }),
  );
  await owner.startRun(
    await owner.createWorkflow({ ...graph, edges: [edge('a.image > ask.input'), ...graph.edges.slice(1)] }),
  );
  const mail = await waitForMail(assignee.email);
  const [picture, ...others] = mail.parts.filter(({ contentType }) => contentType.startsWith('image/'));
  assert.ok(picture);
  assert.deepEqual([picture.contentType, others.length], ['image/jpeg', 0]);
  const cid = /^<(?<cid>[^>]+)>$/.exec(picture.headers.get('content-id') ?? '')?.groups?.cid;
  assert.ok(cid);
  const images = [...mail.html.matchAll(/<img[^>]*>/g)].map(([image]) => image);
  assert.deepEqual(images, [`<img class="picture" src="cid:${cid}" alt="ask">`]);
  assert.match(picture.headers.get('content-disposition') ?? '', /^inline/);
  assert.deepEqual(readJpegSize(picture.content), { width: 1040, height: 260 });
});

it('a team that requires a second factor gets mails whose link asks to sign in', async () => {
  const team = await owner.request<{ id: string }>('POST', '/teams', { name: 'Studio' });
  assert.equal(team.status, 201);
  await service.db.query('update teams set requires_second_factor = true where id = $1', [team.body.id]);
  const folder = await owner.request<{ id: string }>('POST', '/folders', { name: 'F', teamId: team.body.id });
  const graph = createApprovalGraph({ assignees: [assignee.email] });
  const workflow = await owner.createWorkflow(graph);
  const moved = await owner.request('PUT', `/workflows/${workflow}`, { folderId: folder.body.id });
  assert.equal(moved.status, 200);
  await owner.startRun(workflow);
  const mail = await waitForMail(assignee.email);
  assert.equal(findToken(mail), '');
  assert.match(mail.text, /\/approvals\/apv_/);
});
