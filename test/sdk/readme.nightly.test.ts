// Runs each example of the README as a program with a real service.
import assert from 'node:assert/strict';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { signWebhook } from '../../src/services/webhooks/webhook-signature.ts';
import { execFileAsync, type InstalledSdk, installSdk, SDK_FOLDER } from '../support/http/sdk-package.ts';
import { KEY, ownAddressSettings, startTestService, type TestService } from '../support/service.ts';

const SECRET = 'secret of the test';
const PICTURE = join(SDK_FOLDER, '../docs/images/postcard.webp');

let sdk: InstalledSdk;
let service: TestService;
let workflowId: string;
let blocks: readonly string[];
before(async () => {
  [sdk, service] = await Promise.all([installSdk(), startTestService(await ownAddressSettings())]);
  const readme = await readFile(join(SDK_FOLDER, 'README.md'), 'utf8');
  blocks = [...readme.matchAll(/```js\n([\s\S]*?)```/g)].map(match => match[1] ?? '');
  const example = JSON.parse(await readFile(join(SDK_FOLDER, '../examples/postcard.json'), 'utf8'));
  const { body } = await service.request<{ id: string }>('POST', '/workflows', example);
  workflowId = body.id;
});
after(async () => {
  await service.close();
  await sdk.remove();
});

/** Runs the example that contains the text. Later examples use the client that the first example creates. */
async function runExample(text: string, suffix = ''): Promise<string> {
  const [first = ''] = blocks;
  const block = blocks.find(candidate => candidate.includes(text)) ?? assert.fail(`no example has ${text}`);
  const clientCode = block === first ? '' : first.slice(0, first.indexOf('\nconst run = '));
  const file = join(sdk.folder, `example-${blocks.indexOf(block)}.mjs`);
  await writeFile(file, `${clientCode}\n${block}\n${suffix}`);
  const { stdout } = await execFileAsync(process.execPath, [file], {
    env: {
      ...process.env,
      GRAPHWRIGHT_URL: service.url,
      GRAPHWRIGHT_API_KEY: KEY,
      WORKFLOW_ID: workflowId,
      WEBHOOK_SECRET: SECRET,
      PICTURE,
    },
  });
  return stdout;
}

describe('the examples of the SDK README', () => {
  it('start a run and print the outputs', async () => {
    assert.match(await runExample('createClient({'), /^Preview http:\/\/\S+\n/);
  });

  it('follow a run until it ends', async () => {
    const lines = (await runExample('run.events()')).split('\n');
    // The first nodes may finish before the stream starts, so only the last node is checked.
    assert.ok(lines.includes('Preview COMPLETED'), lines.join());
  });

  it('run many workflows', async () => {
    const lines = (await runExample('runMany(')).trim().split('\n');
    assert.deepEqual(lines.sort(), ['Bergen COMPLETED', 'Dakar COMPLETED', 'Hanoi COMPLETED']);
  });

  it('run a batch', async () => {
    const lines = (await runExample('batch.wait(')).trim();
    assert.match(lines, /^COMPLETED \{$/m);
    for (const key of ['Bergen', 'Dakar', 'Hanoi']) assert.match(lines, new RegExp(`^${key} \\[`, 'm'));
  });

  it('create a schedule and a hook, and call the hook', async () => {
    const lines = await runExample('graphwright.schedule(');
    assert.match(lines, /^\d{4}-\d{2}-\d{2}T\S+Z\naccepted ex_\w+\n$/);
  });

  it('upload a file', async () => {
    const { size } = await stat(PICTURE);
    assert.match(
      await runExample('openAsBlob'),
      new RegExp(`^0 of ${size} bytes\n${size} of ${size} bytes\nhttp\\S+/med_\\S+ \\d+ \\d+\n$`),
    );
  });

  it('send requests to the rest of the API', async () => {
    const lines = (await runExample("list('/executions'")).trim().split('\n');
    assert.equal(lines[0], 'Postcard');
    assert.ok(
      lines.length > 3 && lines.slice(1).every(line => /^ex_\w+ COMPLETED$/.test(line)),
      lines.join(),
    );
  });

  it('verify a webhook', async () => {
    const body = JSON.stringify({ eventId: 'e-1', executionId: 'ex_1', status: 'COMPLETED' });
    const signed = { secret: SECRET, body, eventId: 'e-1', timestampSeconds: Math.floor(Date.now() / 1000) };
    const init = JSON.stringify({ method: 'POST', body, headers: signWebhook(signed) });
    const call = `const response = await POST(new Request('http://localhost', ${init}));\nconsole.log(response.status);`;
    assert.equal(await runExample('verifyWebhook', call), 'e-1 ex_1 COMPLETED\n204\n');
  });

  it('distinguish errors', async () => {
    assert.match(await runExample('InsufficientCreditsError'), /^Workflow not found\. [0-9a-f-]{36}\n$/);
  });

  it('are all tested', () => assert.equal(blocks.length, 9));
});
