// Tests `graphwright serve`, and the commands run, keys, migrate and doctor with a running service.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, it } from 'node:test';
import { type RunCommand, requireSuccess, spawnCommand, spawnFirst } from '../support/command-line.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { EDITOR_FOLDER } from '../support/editor-bundle.ts';
import { noiseImage } from '../support/media/pixels.ts';
import { BIN, cleanEnv, READY, toDatabaseUrl } from '../support/service.ts';
import { edge, node } from '../support/workflows.ts';

const EXAMPLE = join(import.meta.dirname, '..', '..', 'examples', 'postcard.json');
const KEY_LINE = /shown only once: (?<key>sk-\S+)/;

const folder = mkdtempSync(join(tmpdir(), 'graphwright-serve-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const withFolder = (settings: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  DATA_DIR: join(folder, 'data'),
  EDITOR_DIR: EDITOR_FOLDER,
  PORT: '0',
  ...settings,
});

/** Runs a command and returns its output. Rejects if the exit code is not 0. */
async function graphwright(
  args: readonly string[],
  settings: NodeJS.ProcessEnv = {},
  run: RunCommand = spawnFirst,
): Promise<string> {
  return requireSuccess(await run(args, withFolder(settings)));
}

interface RunningService {
  readonly child: ChildProcess;
  readonly url: string;
  readonly key: string | undefined;
}

async function serve(): Promise<RunningService> {
  const child = spawn(process.execPath, [BIN, 'serve'], {
    env: { ...cleanEnv(), ...withFolder({}) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let url: string | undefined;
  for await (const line of createInterface(child.stderr)) {
    url ??= READY.exec(line)?.groups?.url;
    const key = KEY_LINE.exec(line)?.groups?.key;
    // The first start prints a key after the URL. Later starts print no key.
    if (url !== undefined && (key !== undefined || hasServed)) return { child, url, key };
  }
  throw new Error('the service ended before it was ready');
}
let hasServed = false;

describe('graphwright', () => {
  /** An external database, so that a command need not wait for an embedded PostgreSQL. */
  let database: TestDatabase;
  let service: RunningService;
  let settings: Readonly<Record<string, string>>;

  before(async () => {
    database = await createTestDatabase();
    service = await serve();
    hasServed = true;
    settings = { GRAPHWRIGHT_URL: service.url, GRAPHWRIGHT_API_KEY: service.key ?? '' };
  });
  after(async () => {
    service.child.kill('SIGKILL');
    await database.drop();
  });

  it('run --json runs a workflow file and prints the execution', async () => {
    const record = JSON.parse(
      await graphwright(['run', EXAMPLE, '--input', 'place=Porto', '--json'], settings),
    );
    assert.equal(record.status, 'COMPLETED');
    assert.deepEqual(record.inputs, { place: 'Porto' });
    assert.equal(record.outputs[0].type, 'IMAGE');
  });

  it('run prints a plain line per node and the outputs in a pipe', async () => {
    const out = await graphwright(['run', EXAMPLE], settings, spawnCommand);
    for (const label of ['Place', 'Prompt', 'Picture', 'Postcard format', 'Card', 'Postcard', 'Preview']) {
      assert.match(out, new RegExp(`^COMPLETED  ${label}  `, 'm'));
    }
    assert.match(out, /\nPreview: http\S+\n$/);
    assert.ok(!out.includes('\u001b'));
  });

  it('run accepts an exported file of over 4 MB that includes its media', async () => {
    const path = join(folder, 'export.json');
    const bytes = Buffer.from(await noiseImage(1200, 1200, 'png'));
    const mediaId = `med_${'0'.repeat(26)}`;
    const media = { mediaId, url: `http://elsewhere.invalid/cdn/${mediaId}/x.png`, name: 'x.png' };
    writeFileSync(
      path,
      JSON.stringify({
        format: 'graphwright-workflow',
        formatVersion: 1,
        name: 'Exported',
        nodes: [node('a', 'input:image', { mediaId }), node('b', 'output:preview')],
        edges: [edge('a.image > b.input')],
        media: [
          {
            ...media,
            contentType: 'image/png',
            width: null,
            height: null,
            duration: null,
            data: bytes.toString('base64'),
          },
        ],
      }),
    );
    assert.ok(statSync(path).size > 4_194_304);
    const record = JSON.parse(await graphwright(['run', path, '--json'], settings));
    assert.equal(record.status, 'COMPLETED');
    const file = await fetch(new URL(new URL(record.outputs[0].url).pathname, service.url));
    assert.deepEqual(Buffer.from(await file.arrayBuffer()), bytes);
  });

  it('keys creates, lists and revokes keys through the service', async () => {
    const key = JSON.parse(
      await graphwright(['keys', 'create', 'ci', '--scope', 'workflows:read', '--json'], settings),
    );
    assert.deepEqual(key.scopes, ['workflows:read']);
    assert.match(await graphwright(['keys', 'list'], settings), new RegExp(`^${key.id}  ci `, 'm'));
    await graphwright(['keys', 'revoke', key.id], settings);
    assert.doesNotMatch(await graphwright(['keys', 'list'], settings), new RegExp(key.id));
  });

  it('serve exits with code 1 if another service uses the folder', async () => {
    await assert.rejects(graphwright(['serve']), {
      code: 1,
      stderr: /graphwright: The data folder .* is in use/,
    });
  });

  it('serve exits with code 1 if a service uses the port, and doctor says that it is one', async () => {
    const env = {
      PORT: new URL(service.url).port,
      DATA_DIR: join(folder, 'other'),
      DATABASE_URL: toDatabaseUrl(database.connection),
    };
    await assert.rejects(graphwright(['serve'], env), {
      code: 1,
      stderr: /127\.0\.0\.1:\d+ is in use\. .*set PORT\./,
    });
    const stdout = await graphwright(['doctor'], env);
    assert.match(stdout, /– +port +127\.0\.0\.1:\d+ is used by a running service/);
  });

  it('serve exits with code 0 on SIGTERM', async () => {
    service.child.kill('SIGTERM');
    const [code] = await once(service.child, 'exit');
    assert.equal(code, 0);
  });

  it('keys create works without a running service', async () => {
    const { key } = JSON.parse(await graphwright(['keys', 'create', 'rescue', '--json'], {}, spawnCommand));
    const restarted = await serve();
    after(() => restarted.child.kill('SIGKILL'));
    const response = await fetch(`${restarted.url}/api/v1/workflows`, {
      headers: { authorization: `Bearer ${key}` },
    });
    assert.equal(response.status, 200);
    assert.equal(restarted.key, undefined);
    restarted.child.kill('SIGTERM');
    await once(restarted.child, 'exit');
  });

  it('migrate lists the applied migrations', async () => {
    const { migrations } = JSON.parse(await graphwright(['migrate', '--json']));
    assert.deepEqual(migrations[0], { version: 1, name: 'init' });
  });
});
