// Tests `graphwright mcp` with a third-party MCP client, in both protocol revisions.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { REVISIONS } from '../support/mcp/agent.ts';
import { BIN, cleanEnv, KEY, startTestService, type TestService } from '../support/service.ts';
import { node } from '../support/workflows.ts';

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.close());

const start = (env: Readonly<Record<string, string>>): StdioClientTransport =>
  new StdioClientTransport({
    command: process.execPath,
    args: [BIN, 'mcp'],
    env: { ...(cleanEnv() as Record<string, string>), ...env },
    stderr: 'pipe',
  });

describe('graphwright mcp', () => {
  for (const revision of REVISIONS) {
    it(`forwards lists, calls and progress over ${revision}`, async t => {
      const mode = revision === '2025-11-25' ? 'legacy' : { pin: revision };
      const client = new Client({ name: 'stdio', version: '1' }, { versionNegotiation: { mode } });
      // An open client would keep its process, and therefore this process, running.
      t.after(() => client.close());
      await client.connect(start({ GRAPHWRIGHT_URL: service.url, GRAPHWRIGHT_API_KEY: KEY }));
      assert.equal((await client.listTools()).tools.length, 23);
      const workflowId = await service.createWorkflow({
        name: 'Ünïcode',
        nodes: [node('a', 'input:text', { value: 'grüße' }), node('b', 'logic:delay', { ms: 2500 })],
        edges: [{ id: 'e', source: 'a', target: 'b', sourceHandle: 'out-text', targetHandle: 'in-input' }],
      });
      let progressCount = 0;
      const [run, list] = await Promise.all([
        client.callTool(
          { name: 'run_workflow', arguments: { workflowId } },
          { onprogress: () => void progressCount++ },
        ),
        client.callTool({ name: 'list_workflows', arguments: {} }),
      ]);
      assert.equal((run.structuredContent as { status: string }).status, 'COMPLETED');
      assert.match(JSON.stringify(run.structuredContent), /grüße/);
      assert.equal(list.isError, undefined);
      assert.ok(progressCount > 0, 'progress is forwarded');
    });
  }

  it('reports a rejected key and an unreachable service as protocol errors', async t => {
    for (const [env, message] of [
      [{ GRAPHWRIGHT_URL: service.url, GRAPHWRIGHT_API_KEY: 'sk-wrong-0123456789' }, /rejected the key/],
      [{ GRAPHWRIGHT_URL: 'http://127.0.0.1:9', GRAPHWRIGHT_API_KEY: KEY }, /cannot be reached/],
    ] as const) {
      const client = new Client({ name: 'stdio', version: '1' });
      t.after(() => client.close());
      await assert.rejects(client.connect(start(env)), message);
    }
  });
});
