// Tests `graphwright batch`, which can be interrupted and resumed, and saves each result once.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { spawnFirst } from '../support/command-line.ts';
import { type Receiver, startReceiver } from '../support/network/receiver.ts';
import { waitUntil } from '../support/processes.ts';
import { BIN, cleanEnv, KEY, startTestService, type TestService } from '../support/service.ts';
import { edge, node } from '../support/workflows.ts';

let service: TestService;
let receiver: Receiver;
let folder: string;
let workflow: string;
before(async () => {
  [service, receiver, folder] = await Promise.all([
    startTestService({ ALLOW_PRIVATE_NETWORK: 'true' }),
    startReceiver(),
    mkdtemp(join(tmpdir(), 'graphwright-cli-batch-')),
  ]);
  workflow = await service.createWorkflow({
    nodes: [
      node('who', 'input:text'),
      node('echo', 'utility:http_request', { url: receiver.url, method: 'POST' }),
      node('out', 'output:preview'),
    ],
    edges: [edge('who.text > echo.body'), edge('echo.text > out.input')],
  });
});
after(async () => {
  await service.close();
  await receiver.close();
  await rm(folder, { recursive: true, force: true });
});

const clientSettings = () => ({ GRAPHWRIGHT_URL: service.url, GRAPHWRIGHT_API_KEY: KEY });
const runBatch = (...args: readonly string[]) => spawnFirst(['batch', ...args], clientSettings());

const writeTable = async (name: string, text: string): Promise<string> => {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
};

it('graphwright batch reports invalid lines and missing options', async () => {
  const path = await writeTable('bad.csv', 'name,age\nAnna,1\nBob\n');
  const result = await runBatch(workflow, path, '--map', 'who=name');
  assert.equal(result.code, 2);
  assert.match(result.err, /bad\.csv:3: The row has 1 cell,/);
  assert.match((await runBatch(workflow, path)).err, /--map input=column/);
  assert.match((await runBatch(workflow)).err, /Specify a table/);
  const missing = await runBatch(workflow, join(folder, 'missing.csv'), '--map', 'who=name');
  assert.deepEqual([missing.code, /missing\.csv does not exist/.test(missing.err)], [2, true]);
  const { body } = await service.request<{ data: readonly unknown[] }>('GET', '/batches');
  assert.deepEqual(body.data, []);
});

it('graphwright batch saves each result once, even after an interruption', async () => {
  const path = await writeTable('people.csv', 'id,name\na,Anna\nb,Bob\nc,Cid\nd,Dora\n');
  const outFolder = join(folder, 'out');
  // No row completes before the interruption.
  const interrupted = Promise.withResolvers<void>();
  receiver.answer(async (res, { raw }) => {
    await interrupted.promise;
    res.end(raw);
  });
  const args = [
    'batch',
    workflow,
    path,
    '--map',
    'who=name',
    '--key',
    'id',
    '--concurrency',
    '1',
    '-o',
    outFolder,
  ];
  const child = execFile(process.execPath, [BIN, ...args], { env: { ...cleanEnv(), ...clientSettings() } });
  let output = '';
  const collect = (text: string): void => {
    output += text;
  };
  child.stdout?.setEncoding('utf8').on('data', collect);
  child.stderr?.setEncoding('utf8').on('data', collect);
  const closed = once(child, 'close');
  await waitUntil('the command to follow the batch', () => /RUNNING: /.test(output));
  const batchId = /bat_\w+/.exec(output)?.[0];
  child.kill('SIGINT');
  await closed;
  interrupted.resolve();
  assert.ok(batchId !== undefined, output);
  assert.ok(output.includes(`graphwright batch ${batchId} -o ${outFolder}`), output);

  // The command itself also follows the batch that it has started.
  const resumed = await runBatch(...args.slice(1));
  assert.equal(resumed.code, 0, resumed.err);
  assert.match(resumed.out, /COMPLETED: 4 of 4 completed/);
  const files = (await readdir(outFolder)).toSorted();
  assert.deepEqual(
    files.map(name => name.replace(/^(\d-\w).*\.txt$/, '$1')),
    ['1-a', '2-b', '3-c', '4-d', `${batchId}.jsonl`, 'batch.json'],
  );
  assert.equal(await readFile(join(outFolder, files[1] ?? ''), 'utf8'), 'Bob');
  const lines = (await readFile(join(outFolder, `${batchId}.jsonl`), 'utf8')).trim().split('\n');
  assert.deepEqual(
    lines.map(line => (JSON.parse(line) as { status: string }).status),
    ['completed', 'completed', 'completed', 'completed'],
  );

  // The command does not overwrite a result file, and writes a missing file again.
  await writeFile(join(outFolder, files[0] ?? ''), 'edited');
  await rm(join(outFolder, files[2] ?? ''));
  assert.equal((await runBatch(batchId, '-o', outFolder)).code, 0);
  assert.equal(await readFile(join(outFolder, files[0] ?? ''), 'utf8'), 'edited');
  assert.equal(await readFile(join(outFolder, files[2] ?? ''), 'utf8'), 'Cid');
  const { body } = await service.request<{ data: readonly unknown[] }>(
    'GET',
    `/workflows/${workflow}/executions`,
  );
  assert.equal(body.data.length, 4);
});

it('graphwright batch saves each result as its row ends', async () => {
  const path = await writeTable('two.csv', 'name\nKim\nLou\n');
  const outFolder = join(folder, 'early');
  // The second row ends only once the result of the first one is saved.
  receiver.answer(async (res, { raw }) => {
    if (raw.toString() === 'Lou')
      await waitUntil('the first result', () => existsSync(join(outFolder, '1-Kim-out.txt')));
    res.end(raw);
  });
  const args = ['--map', 'who=name', '--concurrency', '1', '-o', outFolder];
  const result = await runBatch(workflow, path, ...args);
  assert.equal(result.code, 0, result.err);
  assert.deepEqual(
    (await readdir(outFolder)).filter(name => name.endsWith('.txt')),
    ['1-Kim-out.txt', '2-Lou-out.txt'],
  );
});

const listBatches = async (): Promise<readonly { id: string }[]> =>
  (await service.request<{ data: { id: string }[] }>('GET', '/batches?limit=200')).body.data;

it('graphwright batch runs the rows of a table once, unless it is asked to repeat them', async () => {
  receiver.answer((res, { raw }) => res.end(raw));
  const path = await writeTable('one.csv', 'name\nEve\n');
  const outFolder = join(folder, 'once');
  const args = [workflow, path, '--map', 'who=name', '-o', outFolder];
  const before = (await listBatches()).length;
  const runs = [await runBatch(...args), await runBatch(...args)];
  assert.deepEqual(
    runs.map(({ code }) => code),
    [0, 0],
    runs[1]?.err,
  );
  assert.match(runs[1]?.err ?? '', /has the results of this table/);
  assert.equal((await listBatches()).length, before + 1);

  // The process died between the request and its answer.
  const recordPath = join(outFolder, 'batch.json');
  const { start, ...others } = JSON.parse(await readFile(recordPath, 'utf8'));
  const { batchId, ...pending } = start;
  await writeFile(recordPath, JSON.stringify({ ...others, start: pending }));
  const repeated = await runBatch(...args);
  assert.match(repeated.out, new RegExp(batchId));
  assert.equal((await listBatches()).length, before + 1);

  assert.equal((await runBatch(...args, '--again')).code, 0);
  assert.equal((await listBatches()).length, before + 2);
});

it('graphwright batch replaces the results of another table', async () => {
  receiver.answer((res, { raw }) => res.end(raw));
  const outFolder = join(folder, 'replaced');
  for (const name of ['Finn', 'Gus']) {
    const path = await writeTable('changed.csv', `id,name\na,${name}\n`);
    const args = ['--map', 'who=name', '--key', 'id', '-o', outFolder];
    assert.equal((await runBatch(workflow, path, ...args)).code, 0);
    const [file = ''] = (await readdir(outFolder)).filter(entry => entry.endsWith('.txt'));
    assert.equal(await readFile(join(outFolder, file), 'utf8'), name);
  }
});

it('graphwright batches stops, resumes and retries a batch', async () => {
  receiver.answer((res, { raw }) => {
    if (raw.toString() === 'Ida') res.statusCode = 500;
    res.end(raw);
  });
  const path = await writeTable('failing.csv', 'name\nHal\nIda\n');
  const paused = await runBatch(workflow, path, '--map', 'who=name', '--first', '1');
  const id = /bat_\w+/.exec(paused.out)?.[0] ?? '';
  assert.match(paused.err, new RegExp(`graphwright batches resume ${id}`));
  const change = (...args: readonly string[]) => spawnFirst(['batches', ...args], clientSettings());
  const resumed = await change('resume', id, '--concurrency', '3', '--json');
  assert.deepEqual([resumed.code, (JSON.parse(resumed.out) as { concurrency: number }).concurrency], [0, 3]);
  const ended = await runBatch(id);
  assert.match(ended.err, new RegExp(`graphwright batches retry ${id}`));
  receiver.answer((res, { raw }) => res.end(raw));
  assert.equal((await change('retry', id)).code, 0);
  assert.equal((await runBatch(id)).code, 0);
  assert.equal((await change('stop', id, '--cancel-running')).code, 0);
  assert.match((await change('stop', 'nothing')).err, /not the id of a batch/);
});

it('graphwright batch reads a table in its encoding', async () => {
  const path = join(folder, 'latin.csv');
  await writeFile(path, Buffer.from('name\nZo\xe9\n', 'latin1'));
  receiver.answer((res, { raw }) => res.end(raw));
  const readFirst = async (...options: readonly string[]) => {
    const { out, err, code } = await runBatch(workflow, path, '--map', 'who=name', '--json', ...options);
    if (code !== 0) return err;
    const { id } = JSON.parse(out) as { readonly id: string };
    const { body } = await service.request<{ data: { inputs: unknown }[] }>('GET', `/batches/${id}/rows`);
    return { inputs: body.data[0]?.inputs, err };
  };
  const detected = await readFirst();
  assert.deepEqual((detected as { inputs: unknown }).inputs, { who: 'Zoé' });
  assert.match((detected as { err: string }).err, /Read as windows-1252\. .* add --encoding/);
  assert.deepEqual((await readFirst('--encoding', 'macintosh')) as unknown, {
    inputs: { who: 'ZoÈ' },
    err: '',
  });
  assert.match(
    (await readFirst('--encoding', 'utf-8')) as string,
    /not utf-8\. Set the encoding, such as windows-1252/,
  );
});
