// Tests the MCP server with third-party clients: the inspector and the older SDK.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, before, describe, it } from 'node:test';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { TOOLS } from '../../src/mcp/tool-table.ts';
import { NO_PEERS, peerProgram } from '../support/peers.ts';
import { KEY, startTestService, type TestService } from '../support/service.ts';

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.close());

interface Ended {
  readonly code: number;
  readonly out: string;
}

async function run(command: string, args: readonly string[]): Promise<Ended> {
  const child = spawn(process.execPath, [peerProgram(command), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  const [code] = (await once(child, 'close')) as [number];
  return { code, out };
}

describe('the inspector', { skip: NO_PEERS }, () => {
  const inspect = (args: readonly string[], key = KEY): Promise<Ended> =>
    run('mcp-inspector', [
      '--cli',
      `${service.url}/mcp`,
      '--transport',
      'http',
      '--header',
      `Authorization: Bearer ${key}`,
      ...args,
    ]);

  for (const era of ['legacy', 'modern']) {
    it(`finds no problems in lists and calls tools in the ${era} era`, async () => {
      for (const method of ['tools/list --strict', 'resources/list', 'prompts/list']) {
        const { code, out } = await inspect(['--protocol-era', era, '--method', ...method.split(' ')]);
        assert.equal(code, 0, `${method}: ${out}`);
      }
      const call = ['--protocol-era', era, '--method', 'tools/call', '--tool-name'];
      const good = await inspect([...call, 'find_nodes', '--tool-arg', 'query=image']);
      assert.equal(good.code, 0, good.out);
      const bad = await inspect([...call, 'get_workflow', '--tool-arg', 'workflowId=wf_nothing']);
      assert.equal(bad.code, 5, bad.out);
    });
  }

  it('reports a wrong key', async () => {
    const { code, out } = await inspect(['--method', 'tools/list'], 'sk-wrong-0123456789');
    assert.equal(code, 3, out);
  });
});

describe('the older SDK', () => {
  it('lists, calls, and reads errors as errors', async () => {
    const client = new ClientV1({ name: 'v1', version: '1' });
    const requestInit = { headers: { authorization: `Bearer ${KEY}` } };
    await client.connect(new TransportV1(new URL(`${service.url}/mcp`), { requestInit }) as never);
    const { tools } = await client.listTools();
    assert.equal(tools.length, TOOLS.length);
    const found = await client.callTool({ name: 'find_nodes', arguments: { query: 'blur' } });
    assert.match(JSON.stringify(found.structuredContent), /utility:image_blur/);
    for (const { name } of tools) {
      const refused = await client.callTool({ name, arguments: { nonsense: true } });
      assert.equal(refused.isError, true, name);
    }
    assert.match(String(client.getInstructions()), /list_templates first/);
    await client.close();
  });
});
