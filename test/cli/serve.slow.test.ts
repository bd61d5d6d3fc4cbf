// Tests `graphwright serve`, and run, keys, migrate and doctor with the service that it starts.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, it } from 'node:test';
import { EDITOR_FOLDER } from '../support/app.ts';
import { type RunCommand, requireSuccess, spawnCommand, spawnFirst } from '../support/command-line.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { noiseImage } from '../support/media/pixels.ts';
import { BIN, cleanEnv, READY, toDatabaseUrl } from '../support/service.ts';
import { edge, node } from '../support/workflows.ts';

const EXAMPLE = join(import.meta.dirname, '..', '..', 'examples', 'postcard.json');
const KEY = /shown only once: (?<key>sk-\S+)/;

const folder = mkdtempSync(join(tmpdir(), 'graphwright-serve-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const inFolder = (settings: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  DATA_DIR: join(folder, 'data'),
  EDITOR_DIR: EDITOR_FOLDER,
  PORT: '0',
  ...settings,
});

const spawnedFirst = spawnFirst;
/** Runs a command and returns what it printed. Rejects if its exit code is not 0. */
async function graphwright(
  args: readonly string[],
  settings: NodeJS.ProcessEnv = {},
  run: RunCommand = spawnedFirst,
): Promise<string> {
  return requireSuccess(await run(args, inFolder(settings)));
}

interface Serving {
  readonly child: ChildProcess;
  readonly url: string;
  readonly key: string | undefined;
}

async function serve(): Promise<Serving> {
  const child = spawn(process.execPath, [BIN, 'serve'], {
    env: { ...cleanEnv(), ...inFolder({}) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let url: string | undefined;
  for await (const line of createInterface(child.stderr)) {
    url ??= READY.exec(line)?.groups?.url;
    const key = KEY.exec(line)?.groups?.key;
    // On the first start the key follows the URL; later starts print none.
    if (url !== undefined && (key !== undefined || hasServed)) return { child, url, key };
  }
  throw new Error('the service ended before it was ready');
}
let hasServed = false;

describe('graphwright serve', () => {
  /** Settings that skip the wait for an embedded PostgreSQL. */
  let database: TestDatabase;
  let serving: Serving;
  let settings: Readonly<Record<string, string>>;

  before(async () => {
    database = await createTestDatabase();
    serving = await serve();
    hasServed = true;
    settings = { GRAPHWRIGHT_URL: serving.url, GRAPHWRIGHT_API_KEY: serving.key ?? '' };
  });
  after(async () => {
    serving.child.kill('SIGKILL');
    await database.drop();
  });

  it('runs a workflow file and prints the finished execution as JSON', async () => {
    const record = JSON.parse(
      await graphwright(['run', EXAMPLE, '--input', 'place=Porto', '--json'], settings),
    );
    assert.equal(record.status, 'COMPLETED');
    assert.deepEqual(record.inputs, { place: 'Porto' });
    assert.equal(record.outputs[0].type, 'IMAGE');
  });

  it('prints a plain line per node in a pipe, then the outputs', async () => {
    const out = await graphwright(['run', EXAMPLE], settings, spawnCommand);
    for (const label of ['Place', 'Prompt', 'Picture', 'Postcard format', 'Card', 'Postcard', 'Preview']) {
      assert.match(out, new RegExp(`^COMPLETED  ${label}  `, 'm'));
    }
    assert.match(out, /\nPreview: http\S+\n$/);
    assert.ok(!out.includes('\u001b'));
  });

  it('runs an exported file of over 4 MB that includes its media', async () => {
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
    const stored = await fetch(new URL(new URL(record.outputs[0].url).pathname, serving.url));
    assert.deepEqual(Buffer.from(await stored.arrayBuffer()), bytes);
  });

  it('creates, lists and revokes keys over HTTP', async () => {
    const created = JSON.parse(
      await graphwright(['keys', 'create', 'ci', '--scope', 'workflows:read', '--json'], settings),
    );
    assert.deepEqual(created.scopes, ['workflows:read']);
    assert.match(await graphwright(['keys', 'list'], settings), new RegExp(`^${created.id}  ci `, 'm'));
    await graphwright(['keys', 'revoke', created.id], settings);
    assert.doesNotMatch(await graphwright(['keys', 'list'], settings), new RegExp(created.id));
  });

  it('refuses a second service on the same folder with exit code 1', async () => {
    await assert.rejects(graphwright(['serve']), {
      code: 1,
      stderr: /graphwright: The data folder .* is in use/,
    });
  });

  it('refuses a port that is taken with exit code 1, naming the settings', async () => {
    const env = {
      PORT: new URL(serving.url).port,
      DATA_DIR: join(folder, 'other'),
      DATABASE_URL: toDatabaseUrl(database.connection),
    };
    await assert.rejects(graphwright(['serve'], env), {
      code: 1,
      stderr: /127\.0\.0\.1:\d+ is in use\. .*set PORT\./,
    });
    await assert.rejects(graphwright(['doctor'], env), { code: 1, stdout: /✖ +port .* is in use/ });
  });

  it('stops on SIGTERM with exit code 0, and the next service can use the folder', async () => {
    serving.child.kill('SIGTERM');
    const [code] = await once(serving.child, 'exit');
    assert.equal(code, 0);
  });

  it('lets the operator create a working key directly in the database', async () => {
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

  it('lists the applied migrations', async () => {
    const { migrations } = JSON.parse(await graphwright(['migrate', '--json']));
    assert.deepEqual(migrations[0], { version: 1, name: 'init' });
  });
});
