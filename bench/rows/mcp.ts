// Measures the overhead of MCP: the latency of a tool call compared with REST, memory, and the tokens of the tool list.
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { median, runLoad } from '../load.ts';
import type { Row } from '../row.ts';
import {
  API_KEY,
  type BenchService,
  makeFolder,
  readMemoryMb,
  removeFolder,
  startPlainService,
} from '../service.ts';

const CONNECTIONS = 10;
const HEADERS = {
  authorization: `Bearer ${API_KEY}`,
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

export async function* runMcpRows(isShort: boolean): AsyncGenerator<Row> {
  const folder = await makeFolder();
  const service = await startPlainService(folder);
  try {
    const toolArguments = { query: 'resize image', freeOnly: true, limit: 5 };
    const callTool = () => callMcp(service, 'tools/call', { name: 'find_nodes', arguments: toolArguments });
    const callRest = () => get(service, '/api/v1/nodes?category=utility');
    // Only REST is warmed up, because the benchmark measures what an agent's first request loads.
    await measure(callRest, isShort ? 20 : 200);
    const mbBefore = await readMemoryMb(service.pid);
    const list = (await callMcp(service, 'tools/list', {})) as { result: { tools: readonly ListedTool[] } };
    const mbAfter = await readMemoryMb(service.pid);
    const count = isShort ? 20 : 2000;
    await measure(callTool, count);
    const toolTimes: number[] = [];
    const restTimes: number[] = [];
    // The measurements alternate, so that a slower machine affects both.
    for (let round = 0; round < (isShort ? 1 : 5); round++) {
      toolTimes.push(await measure(callTool, count));
      restTimes.push(await measure(callRest, count));
    }
    yield {
      figure: 'tools/call find_nodes, p50, 10 connections',
      value: median(toolTimes),
      unit: 'ms',
      target: { value: Math.min(5, median(restTimes) + 2), is: 'at most' },
      baseline: { name: 'GET /nodes?category=utility', value: median(restTimes) },
      note: `rounds ${toolTimes.map(ms => ms.toFixed(1)).join(', ')} against ${restTimes.map(ms => ms.toFixed(1)).join(', ')}`,
    };
    yield {
      figure: "memory added by an agent's first request",
      value: mbAfter - mbBefore,
      unit: 'MB',
      target: { value: 12, is: 'at most' },
      note: `${mbBefore.toFixed(0)} MB before, ${mbAfter.toFixed(0)} MB after`,
    };
    yield* countTokens(list.result.tools);
  } finally {
    await service.stop();
    await removeFolder(folder);
  }
}

interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: object;
}

function* countTokens(tools: readonly ListedTool[]): Generator<Row> {
  const shortTools = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  for (const [figure, value, max] of [
    ['tools/list', { tools }, 4500],
    ['names, descriptions and input schemas', shortTools, 2200],
  ] as const) {
    const tokens = encode(JSON.stringify(value)).length;
    yield {
      figure: `${figure}, o200k`,
      value: tokens,
      unit: 'tokens',
      target: { value: max, is: 'at most' },
    };
  }
}

async function callMcp(service: BenchService, method: string, params: Readonly<Record<string, unknown>>) {
  const headers = {
    ...HEADERS,
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...(typeof params.name === 'string' ? { 'mcp-name': params.name } : {}),
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: META } });
  const response = await fetch(`${service.url}/mcp`, { method: 'POST', headers, body });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method}: ${response.status} ${text}`);
  return JSON.parse(text) as unknown;
}

async function get(service: BenchService, path: string): Promise<void> {
  const response = await fetch(service.url + path, { headers: HEADERS });
  await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
}

/** Returns the median response time over concurrent connections. */
async function measure(request: () => Promise<unknown>, count: number): Promise<number> {
  return median((await runLoad(CONNECTIONS, { count }, request)).latencies);
}
