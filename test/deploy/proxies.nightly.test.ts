// Tests the proxy configurations in deploy/ in front of a real service.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { findOnPath } from '../../src/lib/settings.ts';
import { mp4 } from '../support/media/files.ts';
import { findFreePort } from '../support/network/free-port.ts';
import { waitUntil } from '../support/processes.ts';
import { KEY, startTestService, type TestService } from '../support/service.ts';
import { edge, node } from '../support/workflows.ts';

const DEPLOY = join(import.meta.dirname, '../../deploy');
/** Larger than the part of a body that a proxy buffers in memory. */
const UPLOAD_BYTES = 20 * 1_048_576;
const DELAY_MS = 3000;

let service: TestService;
let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'graphwright-proxy-'));
  service = await startTestService({ TRUST_PROXY: '127.0.0.1' });
});
after(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

interface CreatedUpload {
  readonly mediaId: string;
  readonly uploadUrl: string;
  readonly headers: Readonly<Record<string, string>>;
}

interface Proxy {
  readonly program: string;
  readonly start: (program: string, port: number) => Promise<ChildProcess>;
}

const PROXIES: Readonly<Record<string, Proxy>> = {
  Caddy: {
    program: 'caddy',
    start: async (program, port) =>
      spawn(program, ['run', '--adapter', 'caddyfile', '--config', join(DEPLOY, 'caddy/Caddyfile')], {
        // The admin API of Caddy has a fixed port, which concurrent runs of this test would share.
        env: {
          PATH: process.env.PATH,
          HOME: folder,
          CADDY_ADMIN: 'off',
          SITE: `http://:${port}`,
          UPSTREAMS: new URL(service.url).host,
        },
        stdio: 'ignore',
      }),
  },
  nginx: {
    program: 'nginx',
    start: async (program, port) => {
      const siteConfig = (await readFile(join(DEPLOY, 'nginx/graphwright.conf'), 'utf8'))
        .replace('server 127.0.0.1:3000', `server ${new URL(service.url).host}`)
        .replace('listen 80;', `listen 127.0.0.1:${port};`);
      const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
        name => `${name}_temp_path ${folder}/${name};`,
      );
      const config = `daemon off; pid ${folder}/nginx.pid; error_log ${folder}/error.log; events {}
        http { access_log off; ${paths.join(' ')} ${siteConfig} }`;
      await writeFile(join(folder, 'nginx.conf'), config);
      return spawn(program, ['-p', folder, '-c', join(folder, 'nginx.conf')], { stdio: 'ignore' });
    },
  },
};

/** Sends an anonymous request and returns the remaining number of requests from this address in this minute. */
async function readRemaining(
  origin: string,
  localAddress: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<number> {
  const req = request(`${origin}/api/v1/nodes?limit=1`, { localAddress, headers, agent: false });
  req.end();
  const [response] = (await once(req, 'response')) as [IncomingMessage];
  response.resume();
  await once(response, 'end');
  assert.equal(response.statusCode, 200);
  return Number(response.headers['x-ratelimit-remaining']);
}

const METRIC_PREFIX = 'graphwright_';
const METRICS_PATHS = [
  '/metrics/',
  '/metrics?x=1',
  '/metrics/?x=1',
  '/metrics#x',
  '/metrics;x',
  '/metrics%2f',
  '/metrics%3fx',
  '/%6detrics',
  '/%6Detrics/',
  '//metrics',
  '/metrics//',
  '/./metrics',
  '/x/../metrics',
  '/x/%2e%2e/metrics',
  '/METRICS',
  'http://localhost/metrics',
];

/** Requests the path without normalizing it. */
async function requestPath(origin: string, path: string): Promise<{ status: number; text: string }> {
  const { hostname, port } = new URL(origin);
  const req = request({ hostname, port, path, agent: false });
  req.end();
  const [response] = (await once(req, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  return { status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() };
}

for (const [index, [name, { program, start }]] of Object.entries(PROXIES).entries()) {
  const path = findOnPath(program) ?? findOnPath(program, { PATH: '/usr/sbin:/usr/local/sbin' });
  describe(`the ${name} configuration`, { skip: path === undefined && `${program} is not installed` }, () => {
    let child: ChildProcess;
    let origin: string;
    before(async () => {
      const port = await findFreePort();
      origin = `http://127.0.0.1:${port}`;
      child = await start(path ?? '', port);
      await waitUntil(`${name} to pass a request on`, async () => {
        if (child.exitCode !== null) throw new Error(`${name} ended with ${child.exitCode}`);
        const response = await fetch(`${origin}/readyz`).catch(() => undefined);
        return response?.ok === true;
      });
    });
    after(async () => {
      const exit = once(child, 'exit');
      child.kill('SIGTERM');
      await exit;
    });
    const authorization = `Bearer ${KEY}`;

    it('forwards events while the run is in progress', async () => {
      const id = await service.createWorkflow({
        nodes: [node('a', 'input:text', { value: 'x' }), node('d', 'logic:delay', { ms: DELAY_MS })],
        edges: [edge('a.text > d.input')],
      });
      const execution = await service.startRun(id);
      const response = await fetch(`${origin}/api/v1/executions/${execution}/events`, {
        headers: { authorization },
      });
      assert.match(response.headers.get('content-type') ?? '', /^text\/event-stream/);
      const arrivalsMs: number[] = [];
      for await (const _ of response.body ?? []) arrivalsMs.push(performance.now());
      const [firstMs = 0, lastMs = 0] = [arrivalsMs[0], arrivalsMs.at(-1)];
      assert.ok(
        lastMs - firstMs > DELAY_MS / 3,
        `the first piece came ${Math.round(lastMs - firstMs)} ms before the last`,
      );
    });

    it('forwards large uploads and range requests', async () => {
      const file = mp4(UPLOAD_BYTES);
      const { body } = await service.request<CreatedUpload>('POST', '/media/upload-url', {
        contentType: 'video/mp4',
        bytes: file.length,
        filename: 'a.mp4',
      });
      // The URL is signed for the host of BASE_URL.
      const { host, pathname, search } = new URL(body.uploadUrl);
      const req = request(origin + pathname + search, {
        method: 'PUT',
        headers: { ...body.headers, host, 'content-length': file.length },
      });
      req.end(file);
      const [put] = (await once(req, 'response')) as [IncomingMessage];
      put.resume();
      assert.equal(put.statusCode, 200);
      const { mediaId } = body;
      const completion = await service.request<{ url: string }>('POST', '/media/upload-url/complete', {
        mediaId,
      });
      const part = await fetch(origin + new URL(completion.body.url).pathname, {
        headers: { range: 'bytes=100-199' },
      });
      assert.equal(part.status, 206);
      assert.equal((await part.arrayBuffer()).byteLength, 100);
    });

    it('does not forward /metrics in any spelling of the path', async () => {
      const direct = await requestPath(service.url, '/metrics');
      assert.deepEqual([direct.status, direct.text.includes(METRIC_PREFIX)], [200, true]);
      assert.equal((await requestPath(origin, '/metrics')).status, 404);
      for (const metricsPath of METRICS_PATHS) {
        const { text } = await requestPath(origin, metricsPath);
        assert.ok(!text.includes(METRIC_PREFIX), metricsPath);
      }
    });

    it("forwards the caller's address even if the caller sends forwarding headers", async () => {
      const [address, otherAddress] = [`127.0.${index + 1}.1`, `127.0.${index + 1}.2`];
      const spoofed = { 'x-forwarded-for': '203.0.113.7', forwarded: 'for=203.0.113.7' };
      const count = async (): Promise<readonly [number, ...number[]]> => [
        await readRemaining(origin, address),
        await readRemaining(origin, address),
        await readRemaining(origin, otherAddress),
        await readRemaining(origin, address, spoofed),
      ];
      // Repeats the requests until all are within one minute, because the limit counts requests per minute.
      const getMinute = (): number => Math.floor(Date.now() / 60_000);
      let startMinute = getMinute();
      let counts = await count();
      for (let round = 0; getMinute() !== startMinute && round < 10; round++) {
        startMinute = getMinute();
        counts = await count();
      }
      const [first] = counts;
      assert.deepEqual(counts, [first, first - 1, first, first - 2]);
    });
  });
}
