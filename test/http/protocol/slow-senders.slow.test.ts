// Tests that senders of large bodies that hold all places are ended while others are refused.
import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { after, before, it } from 'node:test';
import { type ApiUser, createTestApp, type TestApp } from '../../support/app.ts';
import { listenLocally, openSocket, readResponses } from '../../support/http/raw-http.ts';
import { waitUntil } from '../../support/processes.ts';

let test: TestApp;
let users: readonly ApiUser[];
let port: number;
before(async () => {
  test = await createTestApp({ timing: { senderPaceMs: 20 } });
  users = await test.createUsers(3);
  port = await listenLocally(test.app);
});
after(() => test.close());

const sockets: Socket[] = [];
/** The status and code of each response, in order of arrival. */
const answers: string[] = [];

/** Starts an import of 5 MB, of which only the first byte arrives. Resolves when the service responds. */
async function importSlowly(user: number): Promise<void> {
  const socket = await openSocket(port);
  sockets.push(socket);
  const head = [
    'POST /api/v1/workflows/import HTTP/1.1',
    'Host: localhost',
    `Authorization: Bearer ${users[user]?.key}`,
    'Content-Type: application/json',
    'Content-Length: 5000000',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n{`);
  // The test ends the connections that get no response.
  const [response] = await readResponses(socket).catch(() => []);
  if (response !== undefined)
    answers.push(`${user}: ${response.status} ${(JSON.parse(response.body) as { code: string }).code}`);
}

it('a user takes two of the three places for large bodies, and loses one to a user with none', async () => {
  // A third body of a user is refused, and ends none.
  await Promise.race(Array.from({ length: 3 }, () => importSlowly(0)));
  assert.deepEqual(answers, ['0: 429 upload_busy']);
  void importSlowly(1);
  const isEnded = (): boolean => answers.some(answer => answer.endsWith('408 request_timeout'));
  await waitUntil('a slow import to end', async () => {
    if (!isEnded()) await Promise.race([importSlowly(2), waitUntil('an end', isEnded)]);
    return isEnded();
  });
  // Either of the two may have got the third place. The other one does not lose it again to the own refusal.
  const refused = answers.find(answer => /^[12]: 429/.test(answer))?.[0] ?? '';
  assert.ok(!answers.includes(`${refused}: 408 request_timeout`), answers.join(', '));
  for (const socket of sockets) socket.destroy();
});
