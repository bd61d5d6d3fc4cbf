// Tests waiting for runs over MCP: progress, callers that disconnect, too many waiting calls, and a killed service.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type Agent, connectAgent, REVISIONS } from '../support/mcp/agent.ts';
import { waitUntil } from '../support/processes.ts';
import { KEY, spawnService, startTestService, type TestService } from '../support/service.ts';
import { edge, node } from '../support/workflows.ts';

const MAX_WAITS = 20;
const slow = (ms: number) => ({
  name: 'Slow',
  nodes: [node('a', 'input:text', { value: 'x' }), node('b', 'logic:delay', { ms })],
  edges: [edge('a.text > b.input')],
});

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.close());

for (const revision of REVISIONS) {
  describe(`waiting over ${revision}`, () => {
    let agent: Agent;
    before(async () => {
      agent = await connectAgent(`${service.url}/mcp`, KEY, revision);
    });
    after(() => agent.close());

    it('sends increasing progress at least every 10 s to a caller that asks for it', async () => {
      const workflowId = await service.createWorkflow(slow(11_000));
      const heard: { readonly progress: number; readonly atMs: number }[] = [];
      const startedMs = Date.now();
      const run = await agent.call(
        'run_workflow',
        { workflowId, waitSeconds: 60 },
        { onprogress: ({ progress }) => heard.push({ progress, atMs: Date.now() }) },
      );
      assert.equal(run.data.status, 'COMPLETED', run.text);
      const times = [startedMs, ...heard.map(({ atMs }) => atMs), Date.now()];
      const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
      assert.ok(heard.length >= 2 && Math.max(...gaps) < 10_000, JSON.stringify(gaps));
      const values = heard.map(({ progress }) => progress);
      assert.deepEqual(
        values,
        [...new Set(values)].sort((a, b) => a - b),
      );
    });

    it('returns the state of the run when the time is over', async () => {
      const workflowId = await service.createWorkflow(slow(600_000));
      const run = await agent.get('run_workflow', { workflowId, waitSeconds: 1 });
      assert.ok(['QUEUED', 'RUNNING'].includes(run.status), run.status);
      assert.match(run.next, /Call get_execution/);
      await agent.get('cancel_execution', { executionId: run.executionId });
    });

    it('does not stop a run whose caller has disconnected', async () => {
      const workflowId = await service.createWorkflow(slow(2000));
      const away = new AbortController();
      const call = agent.call('run_workflow', { workflowId, waitSeconds: 60 }, { signal: away.signal });
      setTimeout(() => away.abort(), 700);
      await assert.rejects(call);
      const { body } = await service.request<{ data: { id: string }[] }>(
        'GET',
        `/workflows/${workflowId}/executions`,
      );
      assert.equal(body.data.length, 1);
      const ended = await agent.get('get_execution', { executionId: body.data[0]?.id, waitSeconds: 30 });
      assert.equal(ended.status, 'COMPLETED');
    });
  });
}

describe('an account', () => {
  it(`waits for at most ${MAX_WAITS} runs at once`, async () => {
    const agent = await connectAgent(`${service.url}/mcp`, KEY, '2026-07-28');
    const workflowId = await service.createWorkflow(slow(600_000));
    const { executionId } = await agent.get('run_workflow', { workflowId, waitSeconds: 0 });
    const refused: unknown[] = [];
    const waits = Array.from({ length: MAX_WAITS + 3 }, async () => {
      const result = await agent.call('get_execution', { executionId, waitSeconds: 20 });
      if (result.isError) refused.push(result.data.code);
      return result;
    });
    // A wait for a run that has ended is answered at once.
    await waitUntil('three refusals', () => refused.length === 3);
    await service.request('POST', `/executions/${executionId}/cancel`);
    const results = await Promise.all(waits);
    assert.deepEqual(refused, Array(3).fill('too_many_streams'));
    assert.ok(results.filter(({ isError }) => !isError).every(({ data }) => data.status === 'CANCELLED'));
    await agent.close();
  });
});

describe('a service that is killed while an agent waits', () => {
  it('completes the run once, and the agent finds it again', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'graphwright-killed-'));
    const env = { DATABASE_URL: service.databaseUrl };
    const first = await spawnService(folder, { ...env, ROLE: 'api' });
    const workflowId = await service.createWorkflow(slow(4000));
    const agent = await connectAgent(`${first.url}/mcp`, KEY, '2026-07-28');
    const args = { workflowId, idempotencyKey: 'killed', waitSeconds: 60 };
    const call = agent.call('run_workflow', args).catch((err: unknown) => err);
    await new Promise(resolve => setTimeout(resolve, 1500));
    await first.end('SIGKILL');
    assert.ok((await call) instanceof Error, 'the call breaks off');
    const second = await connectAgent(`${service.url}/mcp`, KEY, '2026-07-28');
    const again = await second.get('run_workflow', args);
    assert.equal(again.status, 'COMPLETED');
    const { body } = await service.request<{ data: { id: string; status: string }[] }>(
      'GET',
      `/workflows/${workflowId}/executions`,
    );
    assert.deepEqual(
      body.data.map(({ id, status }) => [id, status]),
      [[again.executionId, 'COMPLETED']],
    );
    await second.close();
    await rm(folder, { recursive: true, force: true });
  });
});
