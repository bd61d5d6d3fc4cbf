// Tests that following calls at many servers for a long time leaves nothing behind: sockets, timers, listeners, rows.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { ProviderCredential } from '../../../src/providers/credential.ts';
import { createCallFollower } from '../../../src/runs/calls/follow-calls.ts';
import type { CallRow } from '../../../src/store/calls.ts';
import { createTestApp, type TestApp } from '../../support/app.ts';
import { waitUntil } from '../../support/processes.ts';
import { type ComfyServer, startComfyServer } from '../../support/providers/comfyui-server.ts';

const SERVERS = 20;
const ROUNDS = 30;

let test: TestApp;
let servers: readonly ComfyServer[];
before(async () => {
  test = await createTestApp({ timing: { followRetryMs: 60_000 } });
  servers = await Promise.all(Array.from({ length: SERVERS }, () => startComfyServer(Buffer.from('x'))));
});
after(async () => {
  await test.close();
  await Promise.all(servers.map(server => server.close()));
});

const toCall = (server: number, round: number): CallRow => ({
  execution_id: `ex_${server}_${round}`,
  node_id: 'comfy',
  item: 0,
  workspace: `u:${server}`,
  provider: 'comfyui',
  limiter: `server ${server}`,
  value_id: null,
  model: null,
  job_id: `job-${server}-${round}`,
  state: null,
  token: null,
  submitted_at: new Date(),
  deadline_at: new Date(Date.now() + 3_600_000),
  cancelled_at: null,
  credits: 0,
});

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}

const countResources = (): number =>
  process.getActiveResourcesInfo().filter(name => /Timeout|TCPSocketWrap/.test(name)).length;

it('follows calls at 20 servers one after the other, and keeps nothing of those that ended', async () => {
  const { deps } = test;
  const stop = new AbortController();
  const ended: string[] = [];
  const follower = createCallFollower(deps, ({ execution_id }) => ended.push(execution_id), stop.signal);
  const toCredential = ({ url }: ComfyServer) =>
    ({
      endpoint: { baseUrl: url, key: '' },
      connect: (path, request) =>
        deps.providerFetch.connect(url + path, { ...request, trustedOrigin: new URL(url).origin }),
    }) as Pick<ProviderCredential, 'endpoint' | 'connect'> as ProviderCredential;

  const followRound = async (round: number): Promise<void> => {
    const calls = servers.map((_, server) => toCall(server, round));
    await deps.db.query(
      `insert into calls (execution_id, node_id, item, workspace, provider, job_id, submitted_at, due_at, deadline_at, slot_at)
       select id, 'comfy', 0, 'u:1', 'comfyui', id, now(), now() + interval '1 hour', now() + interval '1 hour', now()
       from unnest($1::text[]) as i(id)`,
      [calls.map(({ execution_id }) => execution_id)],
    );
    // Each poll asks again.
    for (const [index, call] of calls.entries())
      for (let poll = 0; poll < 3; poll++) follower.follow(call, toCredential(servers[index] as ComfyServer));
    await waitUntil('the sockets', () => servers.every(({ sockets }) => sockets.size === 1));
    for (const [index, server] of servers.entries()) {
      const call = calls[index] as CallRow;
      const [socket] = server.sockets.values();
      // Some servers say that the call ended, some break, and some are left when a poll finds the end.
      if (index % 3 === 0)
        socket?.send(JSON.stringify({ type: 'executing', data: { node: null, prompt_id: call.job_id } }));
      else if (index % 3 === 1) socket?.destroy();
    }
    await waitUntil('the ends', () => ended.length === (round + 1) * Math.ceil(SERVERS / 3));
    for (const call of calls) follower.unfollow(call);
    await waitUntil('the sockets to close', () => servers.every(({ sockets }) => sockets.size === 0));
    await deps.db.query('delete from calls');
  };

  await followRound(0);
  collectGarbage();
  const before = { resources: countResources(), bytes: process.memoryUsage().heapUsed };
  for (let round = 1; round < ROUNDS; round++) await followRound(round);
  await waitUntil('the timers to end', () => countResources() <= before.resources + 5);
  collectGarbage();
  assert.ok(process.memoryUsage().heapUsed - before.bytes < 30_000_000);
  assert.equal(
    servers.reduce((sum, server) => sum + server.connections(), 0),
    SERVERS * ROUNDS,
  );
  const { rows } = await deps.db.query<{ count: string }>('select count(*) from call_progress');
  assert.equal(Number(rows[0]?.count), 0);
  stop.abort();
  await follower.close();
});
