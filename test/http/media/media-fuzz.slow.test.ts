// Tests uploads with damaged forms: none causes a 500, and a refused form leaves no file.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { after, before, test } from 'node:test';
import { createSeededRandom } from '../../../src/lib/seeded-random.ts';
import { type ApiUser, createTestApp, type TestApp } from '../../support/app.ts';
import { noiseImage } from '../../support/media/pixels.ts';
import { isNightly } from '../../support/tier.ts';

const ROUNDS = isNightly ? 300 : 60;
const TOKENS = [
  '--x',
  '--x--',
  '\r\n',
  '\r\n\r\n',
  '\0',
  'content-disposition: form-data; name="file"; filename="a"',
  'name="__proto__"',
  'content-type: multipart/mixed; boundary=x',
  'content-transfer-encoding: base64',
  "filename*=utf-8''%ff",
  '"',
  ';',
  '--x\r\n'.repeat(30),
  'name="width"\r\n\r\n9',
  '\xff\xfe',
  'a'.repeat(20_000),
];

let app: TestApp;
let user: ApiUser;
let origin: string;
let form: Buffer;

before(async () => {
  app = await createTestApp();
  user = await app.createUser();
  origin = await app.app.listen({ host: '127.0.0.1', port: 0 });
  const head =
    '--x\r\ncontent-disposition: form-data; name="width"\r\n\r\n3\r\n--x\r\ncontent-disposition: form-data; name="file"; filename="a.png"\r\ncontent-type: image/png\r\n\r\n';
  form = Buffer.concat([Buffer.from(head), await noiseImage(8, 8, 'png'), Buffer.from('\r\n--x--\r\n')]);
});
after(() => app.close());

function mutate(random: () => number): Buffer {
  let body = Buffer.from(form);
  for (let times = 1 + Math.floor(random() * 3); times > 0; times--) {
    const offset = Math.floor(random() * body.length);
    const token = Buffer.from(TOKENS[Math.floor(random() * TOKENS.length)] ?? '', 'latin1');
    const kind = random();
    if (kind < 0.3) body = Buffer.concat([body.subarray(0, offset), token, body.subarray(offset)]);
    else if (kind < 0.5) body = body.subarray(0, offset);
    else if (kind < 0.7)
      body = Buffer.concat([body.subarray(0, offset), body.subarray(offset + Math.floor(random() * 40))]);
    else if (kind < 0.9) body[offset] = Math.floor(random() * 256);
    else body = Buffer.concat([body, body.subarray(offset)]);
    if (body.length === 0) return body;
  }
  return body;
}

async function send(body: Buffer): Promise<number> {
  const headers = {
    authorization: `Bearer ${user.key}`,
    'content-type': 'multipart/form-data; boundary=x',
    'content-length': body.length,
  };
  const req = request(`${origin}/api/v1/media/upload`, { method: 'POST', headers });
  req.end(body);
  const [response] = (await once(req, 'response', { signal: AbortSignal.timeout(20_000) })) as [
    IncomingMessage,
  ];
  response.resume();
  await once(response, 'end');
  return response.statusCode ?? 0;
}

test(`POST /media/upload never fails for ${ROUNDS} damaged forms`, async () => {
  const random = createSeededRandom(5);
  let acceptedCount = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const body = mutate(random);
    const status = await send(body);
    assert.ok(
      [200, 400, 413, 415, 422].includes(status),
      `round ${round}: ${status} to ${JSON.stringify(body.toString('latin1').slice(0, 400))}`,
    );
    if (status === 200) acceptedCount++;
  }
  const { rows } = await app.deps.db.query<{ orphans: number; media: number }>(
    'select (select count(*) from media_strays) as orphans, (select count(*) from media) as media',
  );
  assert.deepEqual(rows[0], { orphans: 0, media: acceptedCount });
});
