// Tests the MCP server with third-party clients: the inspector and the older SDK.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, before, describe, it } from 'node:test';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { TOOLS } from '../../src/mcp/tool-table.ts';
import { getPeerProgram, NO_PEERS } from '../support/peers.ts';
import { KEY, startTestService, type TestService } from '../support/service.ts';

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.close());

interface ProgramResult {
  readonly code: number;
  readonly output: string;
}

async function run(command: string, args: readonly string[]): Promise<ProgramResult> {
  const child = spawn(process.execPath, [getPeerProgram(command), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const [code] = (await once(child, 'close')) as [number];
  return { code, output };
}

describe('the MCP inspector', { skip: NO_PEERS }, () => {
  const inspect = (args: readonly string[], key = KEY): Promise<ProgramResult> =>
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
    it(`lists and calls tools over the ${era} protocol without problems`, async () => {
      for (const method of ['tools/list --strict', 'resources/list', 'prompts/list']) {
        const { code, output } = await inspect(['--protocol-era', era, '--method', ...method.split(' ')]);
        assert.equal(code, 0, `${method}: ${output}`);
      }
      const call = ['--protocol-era', era, '--method', 'tools/call', '--tool-name'];
      const success = await inspect([...call, 'find_nodes', '--tool-arg', 'query=image']);
      assert.equal(success.code, 0, success.output);
      const failure = await inspect([...call, 'get_workflow', '--tool-arg', 'workflowId=wf_nothing']);
      assert.equal(failure.code, 5, failure.output);
    });
  }

  it('exits with code 3 for a wrong key', async () => {
    const { code, output } = await inspect(['--method', 'tools/list'], 'sk-wrong-0123456789');
    assert.equal(code, 3, output);
  });
});

describe('the older MCP SDK', () => {
  it('lists tools, calls them, and receives errors as results with isError', async () => {
    const client = new ClientV1({ name: 'v1', version: '1' });
    const requestInit = { headers: { authorization: `Bearer ${KEY}` } };
    await client.connect(new TransportV1(new URL(`${service.url}/mcp`), { requestInit }) as never);
    const { tools } = await client.listTools();
    assert.equal(tools.length, TOOLS.length);
    const nodeSearch = await client.callTool({ name: 'find_nodes', arguments: { query: 'blur' } });
    assert.match(JSON.stringify(nodeSearch.structuredContent), /utility:image_blur/);
    for (const { name } of tools) {
      const result = await client.callTool({ name, arguments: { nonsense: true } });
      assert.equal(result.isError, true, name);
    }
    assert.match(String(client.getInstructions()), /list_templates first/);
    await client.close();
  });
});
