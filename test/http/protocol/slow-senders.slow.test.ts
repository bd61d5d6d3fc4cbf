// Tests that senders of large bodies that hold all places are ended while others are refused.
import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { after, before, it } from 'node:test';
import { type ApiUser, createTestApp, type TestApp } from '../../support/app.ts';
import { listenLocally, openSocket, readResponses } from '../../support/http/raw-http.ts';
import { waitUntil } from '../../support/processes.ts';

/** The number of large bodies that a process reads at a time. */
const PLACES = 3;

let test: TestApp;
let user: ApiUser;
let port: number;
before(async () => {
  test = await createTestApp({ timing: { senderPaceMs: 20 } });
  user = await test.createUser();
  port = await listenLocally(test.app);
});
after(() => test.close());

const sockets: Socket[] = [];
/** The status and code of each response, in order of arrival. */
const answers: string[] = [];

/** Starts an import of 5 MB, of which only the first byte arrives. Resolves when the service responds. */
async function importSlowly(): Promise<void> {
  const socket = await openSocket(port);
  sockets.push(socket);
  const head = [
    'POST /api/v1/workflows/import HTTP/1.1',
    'Host: localhost',
    `Authorization: Bearer ${user.key}`,
    'Content-Type: application/json',
    'Content-Length: 5000000',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n{`);
  // The test ends the connections that get no response.
  const [response] = await readResponses(socket).catch(() => []);
  if (response !== undefined)
    answers.push(`${response.status} ${(JSON.parse(response.body) as { code: string }).code}`);
}

it('a slow import ends when another one is refused, and not before', async () => {
  const imports = Array.from({ length: PLACES + 1 }, importSlowly);
  await Promise.race(imports);
  assert.equal(answers[0], '429 upload_busy');
  const isEnded = (): boolean => answers.includes('408 request_timeout');
  await waitUntil('a slow import to end', async () => {
    if (!isEnded()) await Promise.race([importSlowly(), waitUntil('an end', isEnded)]);
    return isEnded();
  });
  assert.deepEqual([...new Set(answers)].sort(), ['408 request_timeout', '429 upload_busy']);
  for (const socket of sockets) socket.destroy();
});
