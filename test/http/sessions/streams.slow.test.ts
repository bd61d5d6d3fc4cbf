// Tests that the end of a session, an account or a membership closes the event streams that depend on the session,
// account or membership, and no other streams.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { PASSWORD, readLinkToken, SAME_ORIGIN_HEADERS } from '../../support/accounts/people.ts';
import { type EventStream, openStream } from '../../support/http/sse.ts';
import { waitUntil } from '../../support/processes.ts';
import { KEY, startTestService, type TestService } from '../../support/service.ts';
import { DELAYED } from '../../support/workflows.ts';

/** Covers five seconds of caching, five seconds until the next check, and time for a slow machine. */
const END_TIMEOUT_MS = 60_000;
interface Person {
  readonly userId: number;
  readonly email: string;
  readonly cookie: string;
}

let service: TestService;
let teamId: string;
let workflowId: string;
let executionId: string;
before(async () => {
  service = await startTestService();
  teamId = (await service.request<{ id: string }>('POST', '/teams', { name: 'T' })).body.id;
  const folder = await service.request<{ id: string }>('POST', '/folders', { name: 'F', teamId });
  workflowId = await service.createWorkflow(DELAYED);
  await service.request('PUT', `/workflows/${workflowId}`, { folderId: folder.body.id });
  executionId = await service.startRun(workflowId);
});
after(() => service.close());

async function send(method: string, path: string, cookie = '', body?: object): Promise<Response> {
  const response = await fetch(`${service.url}/api/v1${path}`, {
    method,
    headers: {
      ...SAME_ORIGIN_HEADERS,
      ...(cookie === '' ? {} : { cookie }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  assert.ok(response.ok, `${method} ${path}: ${response.status}`);
  return response;
}

const readCookie = (response: Response): string => response.headers.get('set-cookie')?.split(';', 1)[0] ?? '';

/** Creates an editor of the team with a session. */
async function createMember(name: string): Promise<Person> {
  const email = `${name}@example.com`;
  const { body } = await service.request<{ userId: number; inviteUrl: string }>('POST', '/admin/users', {
    email,
    name,
    invite: true,
  });
  const { userId, inviteUrl } = body;
  const link = { token: readLinkToken(inviteUrl), password: PASSWORD };
  const cookie = readCookie(await send('POST', '/auth/accept-invite', '', link));
  const invitation = { email, role: 'EDITOR' };
  const sentInvitation = await service.request<{ id: string }>(
    'POST',
    `/teams/${teamId}/members`,
    invitation,
  );
  assert.equal((await send('POST', `/invitations/${sentInvitation.body.id}/accept`, cookie)).status, 200);
  return { userId, email, cookie };
}

const signInAgain = async ({ email }: Person): Promise<string> =>
  readCookie(await send('POST', '/auth/sign-in', '', { email, password: PASSWORD }));

/** Returns the streams of the workflow and of its run when both have started. */
async function openStreams(headers: Record<string, string>): Promise<readonly EventStream[]> {
  const paths = [`/workflows/${workflowId}/events`, `/executions/${executionId}/events`];
  const streams = await Promise.all(paths.map(path => openStream(`${service.url}/api/v1${path}`, headers)));
  await waitUntil('the streams to begin', () => streams.every(({ events }) => events.length > 0));
  return streams;
}

const ENDS: Readonly<Record<string, (person: Person) => Promise<unknown>>> = {
  'the person signs out': ({ cookie }) => send('POST', '/auth/sign-out', cookie),
  'the session is ended in another browser': async person => {
    const otherSession = await signInAgain(person);
    const { data } = (await (await send('GET', '/auth/sessions', person.cookie)).json()) as {
      data: { id: string; isCurrent: boolean }[];
    };
    await send('DELETE', `/auth/sessions/${data.find(({ isCurrent }) => isCurrent)?.id}`, otherSession);
  },
  'the password is changed in another browser': async person =>
    send('POST', '/auth/password', await signInAgain(person), { current: PASSWORD, next: `${PASSWORD}!` }),
  'the session expires': ({ userId }) =>
    service.db.query('update sessions set expires_at = now() where user_id = $1', [userId]),
  'the account is disabled': ({ userId }) =>
    service.request('PATCH', `/admin/users/${userId}`, { disabled: true }),
  'the account is deleted': ({ userId }) => service.db.query('delete from users where id = $1', [userId]),
  'the person is removed from the team': ({ userId }) =>
    service.request('DELETE', `/teams/${teamId}/members/${userId}`),
};

/** Causes that end one session. All other causes end every session of the person. */
const SINGLE_SESSION_CAUSES: readonly string[] = [
  'the person signs out',
  'the session is ended in another browser',
];

describe('the event streams of a person', { concurrency: true }, () => {
  let otherPersonsStreams: readonly EventStream[];
  const closedStreams = new Set<EventStream>();
  before(async () => {
    otherPersonsStreams = await openStreams({ authorization: `Bearer ${KEY}` });
    for (const stream of otherPersonsStreams) void stream.closed.then(() => closedStreams.add(stream));
  });
  after(() => {
    for (const stream of otherPersonsStreams) stream.hangUp();
  });

  for (const [index, [cause, triggerEnd]] of Object.entries(ENDS).entries())
    it(`end when ${cause}`, async () => {
      const person = await createMember(`member-${index}`);
      const streams = await openStreams({ cookie: person.cookie });
      const otherSessionStreams = await openStreams({ cookie: await signInAgain(person) });
      for (const stream of otherSessionStreams) void stream.closed.then(() => closedStreams.add(stream));
      const isOneSession = SINGLE_SESSION_CAUSES.includes(cause);
      const expectedToEnd = isOneSession ? streams : [...streams, ...otherSessionStreams];
      await triggerEnd(person);
      const timeout = AbortSignal.timeout(END_TIMEOUT_MS);
      const timeoutRejection = new Promise((_, reject) =>
        timeout.addEventListener('abort', () => reject(new Error('A stream is still open.'))),
      );
      await Promise.race([Promise.all(expectedToEnd.map(({ closed }) => closed)), timeoutRejection]);
      for (const stream of otherPersonsStreams)
        assert.equal(closedStreams.has(stream), false, "another person's stream ended");
      if (!isOneSession) return;
      for (const stream of otherSessionStreams) {
        assert.equal(closedStreams.has(stream), false, 'a stream of the other session ended');
        stream.hangUp();
      }
    });
});
