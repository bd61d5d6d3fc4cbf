// Sends mutated upload forms over real sockets, in randomly cut pieces. Checks that no form causes an internal error, that
// stored files match those of another parser, and that refused forms store nothing.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { sha256Hex } from '../../src/lib/crypto.ts';
import { createSeededRandom } from '../../src/lib/seeded-random.ts';
import { type ApiUser, createTestApp, type TestApp } from '../support/app.ts';
import { noiseImage } from '../support/media/pixels.ts';
import type { FuzzReport } from './fuzz-svg.ts';
import { mutate } from './mutate.ts';

const BOUNDARY = 'x';
const RESPONSE_TIMEOUT_MS = 10_000;
const MAX_VIOLATIONS = 5;
const CONCURRENCY = 4;
const ALLOWED_STATUSES: ReadonlySet<number> = new Set([200, 400, 408, 413, 415, 422]);
const TOKENS = [
  ...['--x', '--x--', '\r\n', '\r\n\r\n', '\r', '\n', '\0', '"', ';', '--', '\xff\xfe', '--x\r\n'.repeat(30)],
  ...[
    'content-disposition: form-data; name="file"; filename="a"',
    'name="__proto__"',
    'name="width"\r\n\r\n9',
  ],
  ...[
    'content-type: multipart/mixed; boundary=x',
    'content-transfer-encoding: base64',
    "filename*=utf-8''%ff",
  ],
  ...[
    '\r\n--x',
    '\r\n--x--\r\n',
    '\r\n--',
    'content-type: image/svg+xml\r\n',
    ' '.repeat(9000),
    'filename="',
  ],
].map(token => Buffer.from(token, 'latin1'));

/** The seed and the round's number determine each form and how it is cut into pieces. */
export async function fuzzForms(seed: number, forMs: number): Promise<FuzzReport> {
  const app = await createTestApp();
  try {
    return await fuzz(app, seed, forMs);
  } finally {
    await app.close();
  }
}

async function fuzz(app: TestApp, seed: number, forMs: number): Promise<FuzzReport> {
  const user = await app.createUser();
  const origin = new URL(await app.app.listen({ host: '127.0.0.1', port: 0 }));
  const corpus = [
    await createForm('image/png', await noiseImage(8, 8, 'png')),
    createForm('image/svg+xml', SVG),
  ];
  const violations: string[] = [];
  const endMs = performance.now() + forMs;
  let [rounds, accepted] = [0, 0];
  const worker = async (): Promise<void> => {
    while (performance.now() < endMs && violations.length < MAX_VIOLATIONS) {
      const round = rounds++;
      const random = createSeededRandom(seed * 1_000_003 + round);
      // Some forms are unchanged, to check that valid forms are accepted.
      const form = random() < 0.05 ? (corpus[round % 2] as Buffer) : mutate(corpus, TOKENS, random);
      const { status, body } = await send(origin, user, form, random);
      if (status === 200) accepted++;
      const isValid = corpus.includes(form);
      const description = `round ${round}: ${status} ${body.slice(0, 200)} to ${JSON.stringify(form.toString('latin1')).slice(0, 600)}`;
      if (!ALLOWED_STATUSES.has(status) || (isValid && status !== 200)) violations.push(description);
      else if (status === 200 && !(await matchesOtherParser(app, body, form)))
        violations.push(`the stored file differs from that of another parser, ${description}`);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  const { rows } = await app.deps.db.query<{ orphans: number; media: number }>(
    'select (select count(*) from media_strays)::int as orphans, (select count(*) from media)::int as media',
  );
  const { orphans, media } = rows[0] ?? { orphans: 0, media: 0 };
  if (orphans > 0 || media !== accepted)
    violations.push(`${media} media and ${orphans} orphans after ${accepted} were accepted`);
  return { rounds, accepted, violations };
}

const SVG = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" width="3" height="3"><rect width="3" height="3"/></svg>',
);

function createForm(type: string, file: Buffer): Buffer {
  const head =
    `--${BOUNDARY}\r\ncontent-disposition: form-data; name="width"\r\n\r\n3\r\n` +
    `--${BOUNDARY}\r\ncontent-disposition: form-data; name="file"; filename="a"\r\ncontent-type: ${type}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), file, Buffer.from(`\r\n--${BOUNDARY}--\r\n`)]);
}

/** Returns whether the stored file is the one that another parser finds. Also true if that parser finds no single file. */
async function matchesOtherParser({ deps }: TestApp, response: string, form: Buffer): Promise<boolean> {
  const headers = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };
  const parsedForm = await new Response(new Uint8Array(form), { headers }).formData().catch(() => undefined);
  const files = [...(parsedForm?.values() ?? [])].filter(value => value instanceof File);
  const { mediaId, contentType } = JSON.parse(response) as {
    readonly mediaId: string;
    readonly contentType: string;
  };
  // The service stores a rebuilt SVG.
  if (files.length !== 1 || contentType === 'image/svg+xml') return true;
  const { rows } = await deps.db.query<{ sha256: string }>('select sha256 from media where id = $1', [
    mediaId,
  ]);
  return rows[0]?.sha256 === sha256Hex(Buffer.from(await (files[0] as File).arrayBuffer()));
}

interface HttpResponse {
  readonly status: number;
  readonly body: string;
}

/** Sends the form in pieces of random length. Status 0 means that there was no response in time. */
async function send(origin: URL, user: ApiUser, form: Buffer, random: () => number): Promise<HttpResponse> {
  const socket = connect(Number(origin.port), origin.hostname);
  const response = readResponse(socket);
  socket.write(
    `POST /api/v1/media/upload HTTP/1.1\r\nhost: ${origin.host}\r\nauthorization: Bearer ${user.key}\r\n` +
      `connection: close\r\ncontent-type: multipart/form-data; boundary=${BOUNDARY}\r\ncontent-length: ${form.length}\r\n\r\n`,
  );
  for (let start = 0; start < form.length && socket.writable; ) {
    const end = start + 1 + Math.floor(random() * (random() < 0.3 ? 7 : form.length));
    socket.write(form.subarray(start, end));
    start = end;
    if (random() < 0.5) await sleep(0);
  }
  return response;
}

async function readResponse(socket: Socket): Promise<HttpResponse> {
  const chunks: Buffer[] = [];
  socket.on('data', chunk => chunks.push(chunk));
  // The service may respond before it closes the connection.
  socket.on('error', () => undefined);
  await once(socket, 'close', { signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS) }).catch(() =>
    socket.destroy(),
  );
  const text = Buffer.concat(chunks).toString('utf8');
  const body = text.slice(text.indexOf('\r\n\r\n') + 4);
  return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0), body };
}
