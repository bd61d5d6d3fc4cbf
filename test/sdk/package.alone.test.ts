// Tests the packed SDK: its files, its types, its size in a browser, and the installed versions of Node.
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { execFileAsync, type InstalledSdk, installSdk } from '../support/http/sdk-package.ts';
import { OTHER_NODES, readMajorVersion } from '../support/peers.ts';
import { json, serve } from './test-server.ts';

const MAX_GZIP_BYTES = 8192;

let sdk: InstalledSdk;
before(async () => {
  sdk = await installSdk();
});
after(() => sdk.remove());

const NODES = [process.execPath, ...OTHER_NODES];

const PROGRAM = `
import { createClient, NotFoundError, verifyWebhook } from '@graphwright/sdk';
const client = createClient({ url: process.argv[2] });
const events = [];
for await (const { event } of (await client.run('wf_1')).events()) events.push(event);
const seen = [];
const media = await client.upload(new Blob([new Uint8Array(5_000_000)], { type: 'video/mp4' }), {
  onProgress: ({ sentBytes }) => seen.push(sentBytes),
});
const refusal = await client.request('GET', '/nothing').catch(error => error);
const webhook = await verifyWebhook({ body: '{}', headers: {}, secret: 'x' }).catch(error => error);
console.log(JSON.stringify([events, media.mediaId, seen.at(-1), refusal instanceof NotFoundError, webhook.name]));
`;

describe('the SDK package', () => {
  it('consists of JavaScript, types and the README', () => {
    const patterns = sdk.files.map(path => path.replace(/^dist\/[a-z-]+(?=\.)/, 'dist/*'));
    assert.deepEqual([...new Set(patterns)].sort(), [
      'README.md',
      'dist/*.d.ts',
      'dist/*.js',
      'package.json',
    ]);
  });

  it('has no dependencies', async () => {
    const manifest = JSON.parse(
      await readFile(join(sdk.folder, 'node_modules/@graphwright/sdk/package.json'), 'utf8'),
    );
    assert.deepEqual(
      Object.keys(manifest).filter(name => /dependencies/i.test(name)),
      [],
    );
  });

  for (const node of NODES) {
    it(`starts and follows runs, uploads files and verifies webhooks on ${node}`, async t => {
      const major = readMajorVersion(node);
      if (major < 20) return t.skip(`Node ${major} is too old`);
      const { url } = await serve(t, async (req, res) => {
        if (req.url?.endsWith('/run')) json(res, 202, { executionId: 'ex_1' });
        else if (req.url?.endsWith('/events'))
          res
            .writeHead(200, { 'content-type': 'text/event-stream' })
            .end('id: 1\nevent: snapshot\ndata: {"status":"COMPLETED"}\n\n');
        else if (req.url?.endsWith('/upload-url'))
          json(res, 200, {
            uploadUrl: `http://${req.headers.host}/store`,
            headers: { 'Content-Type': 'video/mp4', 'Content-Length': '5000000' },
            mediaId: 'med_1',
          });
        else if (req.method === 'PUT') {
          const { length } = Buffer.concat(await req.toArray());
          res.writeHead(req.headers['content-length'] === String(length) ? 200 : 400).end();
        } else if (req.url?.endsWith('/complete')) json(res, 200, { mediaId: 'med_1' });
        else json(res, 404, { error: 'None.', code: 'not_found' });
      });
      const file = join(sdk.folder, 'program.mjs');
      await writeFile(file, PROGRAM);
      const { stdout } = await execFileAsync(node, [file, url]);
      assert.deepEqual(JSON.parse(stdout), [
        ['snapshot'],
        'med_1',
        5_000_000,
        true,
        'WebhookVerificationError',
      ]);
      return undefined;
    });
  }

  it('has types that strict TypeScript accepts in Node and browsers', async () => {
    const source = `
import { createClient, type Execution, type RunEvent, type Schemas } from '@graphwright/sdk';
const client = createClient({ url: 'http://localhost' });
const run = await client.run('wf_1', { inputs: { a: [1] } });
const ended: Execution = await run.wait({ timeoutMs: 1 });
for await (const change of run.events()) {
  const known: RunEvent = change;
  if (known.event === 'progress') known.data.progress.toFixed();
}
// @ts-expect-error: status is a closed set
ended.status === 'DONE';
// @ts-expect-error: the API has no such property
await client.run('wf_1', { input: {} });
const { nodes } = await client.request<Schemas.Workflow>('GET', '/workflows/wf_1');
nodes[0]?.position.x.toFixed();
for await (const { order } of client.runMany([{ workflowId: 'wf_1', tag: 7 }])) order.tag.toFixed();
`;
    await writeFile(join(sdk.folder, 'consumer.ts'), source);
    const options = [
      '--noEmit',
      '--strict',
      '--exactOptionalPropertyTypes',
      '--target',
      'es2022',
      '--types',
      '',
    ];
    const tsc = join(import.meta.dirname, '../../node_modules/.bin/tsc');
    for (const [module, resolution] of [
      ['nodenext', 'nodenext'],
      ['esnext', 'bundler'],
    ] as const)
      await execFileAsync(
        tsc,
        [
          ...options,
          '--lib',
          'es2023,dom',
          '--module',
          module,
          '--moduleResolution',
          resolution,
          'consumer.ts',
        ],
        { cwd: sdk.folder },
      ).catch((err: { stdout?: string }) => assert.fail(err.stdout));
  });

  it(`has at most ${MAX_GZIP_BYTES} bytes in a browser`, async t => {
    const bundle = async (contents: string): Promise<number> => {
      const { outputFiles } = await build({
        stdin: { contents, resolveDir: sdk.folder },
        bundle: true,
        minify: true,
        write: false,
        format: 'esm',
        platform: 'browser',
        target: 'es2022',
      });
      return gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length;
    };
    const allBytes = await bundle("export * from '@graphwright/sdk';");
    t.diagnostic(`${allBytes} bytes`);
    assert.ok(allBytes > 2000 && allBytes <= MAX_GZIP_BYTES, `${allBytes} bytes`);
    const verifyBytes = await bundle("export { verifyWebhook } from '@graphwright/sdk';");
    assert.ok(verifyBytes < allBytes / 3, `${verifyBytes} bytes`);
  });
});
