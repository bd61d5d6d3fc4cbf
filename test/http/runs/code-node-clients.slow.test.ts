// Tests code nodes in exports and imports, on the command line and with MCP tools: the code and the ports remain
// unchanged, and errors name the problem.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Execution } from '../../support/client.ts';
import { callCommand } from '../../support/command-line.ts';
import { connectAgent, REVISIONS } from '../../support/mcp/agent.ts';
import { KEY, startTestService, type TestService } from '../../support/service.ts';
import { edge, node } from '../../support/workflows.ts';

/** Contains characters that files and terminals may change. */
const CODE = `interface In { words: string }
export default async ({ words }: In) => {
\tconst split = words.split(/\\s+/u); // "ä" \\u2028
  return { items: split.map(word => word.toUpperCase()), count: split.length };
};
`;
const CONFIG = {
  code: CODE,
  inputs: [{ id: 'words', type: 'TEXT' }],
  outputs: [
    { id: 'items', type: 'LIST' },
    { id: 'count', type: 'NUMBER' },
  ],
  timeoutMs: 20_000,
};
const createGraph = (config: object = {}) => ({
  name: 'Words',
  nodes: [
    node('t', 'input:text', { value: 'a bird' }),
    node('c', 'utility:code', { ...CONFIG, ...config }),
    node('p', 'output:preview'),
    node('n', 'output:preview'),
  ],
  edges: [edge('t.text > c.words'), edge('c.items > p.input'), edge('c.count > n.input')],
});

interface StoredWorkflow {
  readonly id: string;
  readonly meta?: { readonly warnings?: readonly string[] };
  readonly nodes: readonly { readonly id: string; readonly data: { readonly config?: unknown } }[];
}

const getConfig = ({ nodes }: Pick<StoredWorkflow, 'nodes'>): unknown =>
  nodes.find(({ id }) => id === 'c')?.data.config;

let service: TestService;
let folder: string;
before(async () => {
  service = await startTestService();
  folder = await mkdtemp(join(tmpdir(), 'graphwright-code-'));
});
after(async () => {
  await service.close();
  await rm(folder, { recursive: true });
});

describe('a code node in a workflow file', () => {
  it('is unchanged after an export and an import', async () => {
    const id = await service.createWorkflow(createGraph());
    const { body: file } = await service.request<StoredWorkflow>('GET', `/workflows/${id}/export`);
    assert.deepEqual(getConfig(file), CONFIG);
    const { status, body } = await service.request<StoredWorkflow>('POST', '/workflows/import', file);
    assert.equal(status, 201, JSON.stringify(body));
    assert.deepEqual(getConfig(body), CONFIG);
    const { outputs } = await service.runWorkflow(body.id, { inputs: { t: 'one two three' } });
    assert.deepEqual(
      outputs.map(({ text, value }) => text ?? value),
      ['ONE', 'TWO', 'THREE', 3],
    );
  });

  it('can be imported with a warning if an edge uses an unknown port', async () => {
    const file = createGraph({ outputs: [{ id: 'items', type: 'LIST' }] });
    const { status, body } = await service.request<StoredWorkflow>('POST', '/workflows/import', file);
    assert.equal(status, 201);
    assert.match(body.meta?.warnings?.join() ?? '', /The node "c" has no output port "out-count"/);
  });
});

describe('a code node on the command line', () => {
  const settings = () => ({ GRAPHWRIGHT_URL: service.url, GRAPHWRIGHT_API_KEY: KEY });
  const write = async (name: string, content: object): Promise<string> => {
    const path = join(folder, name);
    await writeFile(path, JSON.stringify(content));
    return path;
  };

  it('is linted without a service', async () => {
    const validResult = await callCommand(['lint', await write('good.json', createGraph())]);
    assert.deepEqual([validResult.code, validResult.err], [0, ''], validResult.out);
    const invalidGraphs = [
      [createGraph({ inputs: [] }), /edges\/0\/targetHandle {2}The node "c" has no input ports/],
      [createGraph({ outputs: [{ id: 'items', type: 'PICTURE' }] }), /outputs\[0\] must have an id/],
      [createGraph({ timeoutMs: 99 }), /config\.timeoutMs is 99, but must be at least 100/],
    ] as const;
    for (const [content, message] of invalidGraphs) {
      const { out } = await callCommand(['lint', await write('bad.json', content)]);
      assert.match(out, message);
    }
  });

  it('can be run, exported and imported', async () => {
    const path = await write('run.json', createGraph());
    const run = await callCommand(['run', path, '--input', 't=two words', '--json'], settings());
    assert.equal(run.code, 0, run.err);
    const { outputs } = JSON.parse(run.out) as Execution;
    assert.deepEqual(
      outputs.map(({ text, value }) => text ?? value),
      ['TWO', 'WORDS', 2],
    );
    const exportPath = join(folder, 'exported.json');
    const id = await service.createWorkflow(createGraph());
    assert.equal((await callCommand(['workflows', 'export', id, '--out', exportPath], settings())).code, 0);
    assert.deepEqual(getConfig(JSON.parse(await readFile(exportPath, 'utf8')) as StoredWorkflow), CONFIG);
    const importResult = await callCommand(['workflows', 'import', exportPath, '--json'], settings());
    assert.equal(importResult.code, 0, importResult.err);
    assert.deepEqual(getConfig(JSON.parse(importResult.out) as StoredWorkflow), CONFIG);
  });

  it('reports the line and column of a code error', async () => {
    const path = await write(
      'fails.json',
      createGraph({ code: 'export default ({ words }) => {\n  return words.a.b;\n}' }),
    );
    const { code, out, err } = await callCommand(['run', path], settings());
    assert.equal(code, 1);
    assert.match(out + err, /cannot read property 'b' of undefined \(line 2, column 17\)/);
  });
});

for (const revision of REVISIONS) {
  describe(`a code node over MCP, protocol ${revision}`, () => {
    it('can be found, run, repaired and run again by an agent', async () => {
      const agent = await connectAgent(`${service.url}/mcp`, KEY, revision);
      const nodeSearch = await agent.get('find_nodes', { query: 'run my own JavaScript code' });
      assert.ok(JSON.stringify(nodeSearch).includes('utility:code'), JSON.stringify(nodeSearch));
      const details = await agent.get('find_nodes', { nodeTypes: ['utility:code'] });
      assert.match(JSON.stringify(details), /One input for each item of config\.inputs/);
      const workflow = await agent.get('create_workflow', {
        name: 'Words',
        nodes: [
          { id: 't', nodeType: 'input:text', config: { value: 'a bird' } },
          { id: 'c', nodeType: 'utility:code', config: { ...CONFIG, code: 'export default () => missing' } },
          { id: 'p', nodeType: 'output:preview' },
        ],
        edges: ['t.text -> c.words', 'c.items -> p.input'],
      });
      const workflowId = String(workflow.id);
      const failedRun = await agent.call('run_workflow', { workflowId });
      assert.match(failedRun.text, /'missing' is not defined \(line 1, column \d+\)/);
      const invalidEdit = await agent.call('edit_workflow', {
        workflowId,
        baseVersion: workflow.version,
        operations: [{ op: 'connect', edge: 'c.nothing -> p.input' }],
      });
      assert.match(invalidEdit.text, /no output port "out-nothing"\. Use one of out-items, out-count/);
      const edit = await agent.get('edit_workflow', {
        workflowId,
        baseVersion: invalidEdit.data.version,
        operations: [
          { op: 'disconnect', edge: 'c.nothing -> p.input' },
          { op: 'set_config', nodeId: 'c', config: { code: CODE } },
        ],
      });
      assert.deepEqual(edit.issues ?? [], []);
      const run = await agent.call('run_workflow', { workflowId, inputs: { t: 'one two' } });
      assert.equal(run.data.status, 'COMPLETED', run.text);
      assert.ok(run.text.includes('ONE') && run.text.includes('TWO'), run.text);
      const storedWorkflow = await agent.get('get_workflow', { workflowId, detail: 'full' });
      assert.ok(
        JSON.stringify(storedWorkflow).includes(JSON.stringify(CODE).slice(1, -1)),
        'the program is unchanged',
      );
      await agent.close();
    });
  });
}
