// Tests the responses of the service while its embedded PostgreSQL is killed.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Reply } from '../support/client.ts';
import { noiseImage } from '../support/media/pixels.ts';
import { waitUntil } from '../support/processes.ts';
import { type ServiceChild, spawnService } from '../support/service.ts';
import { PAIR } from '../support/workflows.ts';

const KILL_COUNT = 3;
const LOAD_MS = 500;
const PAUSE_MS = 50;

interface RecordedReply extends Reply<{ readonly error?: string; readonly executionId?: string }> {
  readonly call: string;
}

const hasSucceeded =
  (expectedCall: string) =>
  ({ call, status }: RecordedReply): boolean =>
    call === expectedCall && status < 300;

describe('a service whose PostgreSQL is killed under load', () => {
  let folder: string;
  let api: ServiceChild;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'graphwright-outage-'));
    api = await spawnService(folder, { LOG_LEVEL: 'warn' });
  });
  after(async () => {
    await api.end('SIGTERM');
    await rm(folder, { recursive: true, force: true });
  });

  /** Returns the process id of PostgreSQL, or undefined while PostgreSQL is not running. */
  const readPostmasterPid = async (): Promise<number | undefined> => {
    const file = join(folder, 'postgres', 'cluster', 'postmaster.pid');
    const text = await readFile(file, 'utf8').catch(() => '');
    return Number.parseInt(text, 10) || undefined;
  };

  it('responds with 503 or, if data may have been stored, reports that the outcome is unknown', async () => {
    const workflow = await api.createWorkflow(PAIR);
    const dataUrl = `data:image/png;base64,${(await noiseImage(4, 4, 'png')).toString('base64')}`;
    const calls: readonly (readonly [string, string, object?])[] = [
      ['GET', `/workflows/${workflow}`],
      ['GET', '/executions'],
      ['GET', '/workflows'],
      ['POST', '/workflows', { name: 'one more', ...PAIR }],
      ['PUT', `/workflows/${workflow}`, { name: 'another name' }],
      ['POST', `/workflows/${workflow}/run`, {}],
      ['POST', '/media/upload', { dataUrl }],
    ];
    for (const [method, path, body] of calls) {
      const { status, body: response } = await api.request(method, path, body);
      assert.ok(status < 300, `${method} ${path}: ${status} ${response?.error}`);
    }
    const responses: RecordedReply[] = [];
    let isLoadOver = false;
    const load = calls
      .flatMap(call => [call, call])
      .map(async ([method, path, body]) => {
        while (!isLoadOver) {
          const reply = await api.request<RecordedReply['body']>(method, path, body);
          responses.push({ ...reply, call: `${method} ${path}` });
          await sleep(PAUSE_MS);
        }
      });
    for (let kill = 0; kill < KILL_COUNT; kill++) {
      await sleep(LOAD_MS);
      const killedPid = await readPostmasterPid();
      assert.ok(killedPid !== undefined);
      process.kill(killedPid, 'SIGKILL');
      await waitUntil(
        'another PostgreSQL',
        async () => ![killedPid, undefined].includes(await readPostmasterPid()),
      );
      const countBefore = responses.length;
      await waitUntil('successful responses', () =>
        calls.every(([method, path]) => responses.slice(countBefore).some(hasSucceeded(`${method} ${path}`))),
      );
    }
    await sleep(LOAD_MS);
    isLoadOver = true;
    await Promise.all(load);

    const unavailable = responses.filter(({ status }) => status === 503);
    assert.ok(unavailable.length > 0, 'no request got a 503');
    for (const { headers } of unavailable) assert.match(headers.get('retry-after') ?? 'none', /^\d+$/);
    for (const { call, status, body } of responses.filter(({ status }) => status >= 500 && status !== 503)) {
      assert.match(call, /^(?:POST|PATCH) /, `${call}: ${status} ${body.error}`);
      assert.match(body.error ?? '', /outcome is unknown/, `${call}: ${status}`);
      if (call.endsWith('/run')) assert.ok(body.executionId, JSON.stringify(body));
    }
    for (const [method, path, body] of calls)
      await waitUntil(`${method} ${path} to succeed again`, async () => {
        const { status } = await api.request(method, path, body);
        return status < 300;
      });
    assert.equal((await api.runWorkflow(workflow)).status, 'COMPLETED');
  });
});
