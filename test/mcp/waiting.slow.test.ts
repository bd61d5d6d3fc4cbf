// Tests calls that wait for runs over MCP: progress, disconnected callers, too many calls, and a killed service.

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { divideTiming, TIMING } from '../../src/lib/timing.ts';
import { type Agent, connectAgent, REVISIONS } from '../support/mcp/agent.ts';
import { waitUntil } from '../support/processes.ts';
import { KEY, spawnService, startTestService, type TestService } from '../support/service.ts';
import { NIGHTLY_ONLY } from '../support/tier.ts';
import { TIMING_DIVISOR } from '../support/timing.ts';
import { edge, node } from '../support/workflows.ts';

const MAX_WAITS = 20;
const REPORT_MS = divideTiming(TIMING, Number(TIMING_DIVISOR)).progressReportMs;
const createSlowGraph = (ms: number) => ({
  name: 'Slow',
  nodes: [node('a', 'input:text', { value: 'x' }), node('b', 'logic:delay', { ms })],
  edges: [edge('a.text > b.input')],
});

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.close());

const listRuns = async (workflowId: string) => {
  const { body } = await service.request<{ data: { id: string; status: string }[] }>(
    'GET',
    `/workflows/${workflowId}/executions`,
  );
  return body.data;
};

for (const revision of REVISIONS) {
  describe(`a call that waits over ${revision}`, () => {
    let agent: Agent;
    before(async () => {
      agent = await connectAgent(`${service.url}/mcp`, KEY, revision);
    });
    after(() => agent.close());

    it('reports progress every few seconds if the caller requests progress', async () => {
      const workflowId = await service.createWorkflow(createSlowGraph(2.5 * REPORT_MS));
      const values: number[] = [];
      const run = await agent.call(
        'run_workflow',
        { workflowId, waitSeconds: 60 },
        { onprogress: ({ progress }) => values.push(progress) },
      );
      assert.equal(run.data.status, 'COMPLETED', run.text);
      // On a busy machine, reports may be later, but the run then takes longer too.
      assert.ok(values.length >= 2, JSON.stringify(values));
      assert.deepEqual(
        values,
        [...new Set(values)].sort((a, b) => a - b),
      );
    });

    it('returns the status of the run after waitSeconds', async () => {
      const workflowId = await service.createWorkflow(createSlowGraph(600_000));
      const run = await agent.get('run_workflow', { workflowId, waitSeconds: 1 });
      assert.ok(['QUEUED', 'RUNNING'].includes(run.status), run.status);
      assert.match(run.next, /Call get_execution/);
      await agent.get('cancel_execution', { executionId: run.executionId });
    });

    it('does not stop the run if the caller disconnects', async () => {
      const workflowId = await service.createWorkflow(createSlowGraph(2000));
      const controller = new AbortController();
      const call = agent.call('run_workflow', { workflowId, waitSeconds: 60 }, { signal: controller.signal });
      const rejection = assert.rejects(call);
      await waitUntil('the run', async () => (await listRuns(workflowId)).length === 1);
      controller.abort();
      await rejection;
      const [run] = await listRuns(workflowId);
      const execution = await agent.get('get_execution', { executionId: run?.id, waitSeconds: 30 });
      assert.equal(execution.status, 'COMPLETED');
    });
  });
}

describe('a user', () => {
  it(`can wait in at most ${MAX_WAITS} calls concurrently`, async () => {
    const agent = await connectAgent(`${service.url}/mcp`, KEY, '2026-07-28');
    const workflowId = await service.createWorkflow(createSlowGraph(600_000));
    const { executionId } = await agent.get('run_workflow', { workflowId, waitSeconds: 0 });
    const errorCodes: unknown[] = [];
    const waits = Array.from({ length: MAX_WAITS + 3 }, async () => {
      const result = await agent.call('get_execution', { executionId, waitSeconds: 20 });
      if (result.isError) errorCodes.push(result.data.code);
      return result;
    });
    // The run is cancelled only now, because a call for a run that has ended returns immediately.
    await waitUntil('three rejections', () => errorCodes.length === 3);
    await service.request('POST', `/executions/${executionId}/cancel`);
    const results = await Promise.all(waits);
    assert.deepEqual(errorCodes, Array(3).fill('too_many_streams'));
    assert.ok(results.filter(({ isError }) => !isError).every(({ data }) => data.status === 'CANCELLED'));
    await agent.close();
  });
});

describe('a service that is killed while an agent waits', NIGHTLY_ONLY, () => {
  it('returns the completed run to a repeated call', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'graphwright-killed-'));
    const env = { DATABASE_URL: service.databaseUrl };
    const first = await spawnService(folder, { ...env, ROLE: 'api' });
    const workflowId = await service.createWorkflow(createSlowGraph(4000));
    const agent = await connectAgent(`${first.url}/mcp`, KEY, '2026-07-28');
    const args = { workflowId, idempotencyKey: 'killed', waitSeconds: 60 };
    const call = agent.call('run_workflow', args).catch((err: unknown) => err);
    await waitUntil('the run', async () => (await listRuns(workflowId)).length === 1);
    await first.end('SIGKILL');
    assert.ok((await call) instanceof Error, 'the call fails');
    const second = await connectAgent(`${service.url}/mcp`, KEY, '2026-07-28');
    const repeatedCall = await second.get('run_workflow', args);
    assert.equal(repeatedCall.status, 'COMPLETED');
    assert.deepEqual(
      (await listRuns(workflowId)).map(({ id, status }) => [id, status]),
      [[repeatedCall.executionId, 'COMPLETED']],
    );
    await second.close();
    await rm(folder, { recursive: true, force: true });
  });
});
