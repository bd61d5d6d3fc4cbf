// Takes a code node through exports and imports, the command line and the tools of agents: its program and its ports
// stay as they are, and problems are named.
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

/** With characters that files and terminals may change. */
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
  timeoutMs: 2000,
};
const graph = (config: object = {}) => ({
  name: 'Words',
  nodes: [
    node('t', 'input:text', { value: 'a bird' }),
    node('c', 'utility:code', { ...CONFIG, ...config }),
    node('p', 'output:preview'),
    node('n', 'output:preview'),
  ],
  edges: [edge('t.text > c.words'), edge('c.items > p.input'), edge('c.count > n.input')],
});

interface Stored {
  readonly id: string;
  readonly meta?: { readonly warnings?: readonly string[] };
  readonly nodes: readonly { readonly id: string; readonly data: { readonly config?: unknown } }[];
}

const getConfig = ({ nodes }: Pick<Stored, 'nodes'>): unknown =>
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

describe('a code node in a file', () => {
  it('is the same after an export and an import, and runs', async () => {
    const id = await service.createWorkflow(graph());
    const { body: file } = await service.request<Stored>('GET', `/workflows/${id}/export`);
    assert.deepEqual(getConfig(file), CONFIG);
    const { status, body } = await service.request<Stored>('POST', '/workflows/import', file);
    assert.equal(status, 201, JSON.stringify(body));
    assert.deepEqual(getConfig(body), CONFIG);
    const { outputs } = await service.runWorkflow(body.id, { inputs: { t: 'one two three' } });
    assert.deepEqual(
      outputs.map(({ text, value }) => text ?? value),
      ['ONE', 'TWO', 'THREE', 3],
    );
  });

  it('keeps a connection to a port that it does not have, with a warning', async () => {
    const file = graph({ outputs: [{ id: 'items', type: 'LIST' }] });
    const { status, body } = await service.request<Stored>('POST', '/workflows/import', file);
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

  it('is linted by its ports without a service', async () => {
    const good = await callCommand(['lint', await write('good.json', graph())]);
    assert.deepEqual([good.code, good.err], [0, ''], good.out);
    const bad = [
      [graph({ inputs: [] }), /edges\/0\/targetHandle {2}The node "c" has no input ports/],
      [graph({ outputs: [{ id: 'items', type: 'PICTURE' }] }), /outputs\[0\] must have an id/],
      [graph({ timeoutMs: 99 }), /config\.timeoutMs is 99, but must be at least 100/],
    ] as const;
    for (const [content, message] of bad) {
      const { out } = await callCommand(['lint', await write('bad.json', content)]);
      assert.match(out, message);
    }
  });

  it('is run from a file, exported and imported', async () => {
    const path = await write('run.json', graph());
    const run = await callCommand(['run', path, '--input', 't=two words', '--json'], settings());
    assert.equal(run.code, 0, run.err);
    const { outputs } = JSON.parse(run.out) as Execution;
    assert.deepEqual(
      outputs.map(({ text, value }) => text ?? value),
      ['TWO', 'WORDS', 2],
    );
    const exported = join(folder, 'exported.json');
    const id = await service.createWorkflow(graph());
    assert.equal((await callCommand(['workflows', 'export', id, '--out', exported], settings())).code, 0);
    assert.deepEqual(getConfig(JSON.parse(await readFile(exported, 'utf8')) as Stored), CONFIG);
    const imported = await callCommand(['workflows', 'import', exported, '--json'], settings());
    assert.equal(imported.code, 0, imported.err);
    assert.deepEqual(getConfig(JSON.parse(imported.out) as Stored), CONFIG);
  });

  it('says where its program failed', async () => {
    const path = await write(
      'fails.json',
      graph({ code: 'export default ({ words }) => {\n  return words.a.b;\n}' }),
    );
    const { code, out, err } = await callCommand(['run', path], settings());
    assert.equal(code, 1);
    assert.match(out + err, /cannot read property 'b' of undefined \(line 2, column 17\)/);
  });
});

for (const revision of REVISIONS) {
  describe(`an agent with MCP ${revision}`, () => {
    it('finds the code node, connects its ports, runs it, reads its error and mends it', async () => {
      const agent = await connectAgent(`${service.url}/mcp`, KEY, revision);
      const nodeSearch = await agent.get('find_nodes', { query: 'run my own JavaScript code' });
      assert.ok(JSON.stringify(nodeSearch).includes('utility:code'), JSON.stringify(nodeSearch));
      const details = await agent.get('find_nodes', { nodeTypes: ['utility:code'] });
      assert.match(JSON.stringify(details), /One input for each item of config\.inputs/);
      const created = await agent.get('create_workflow', {
        name: 'Words',
        nodes: [
          { id: 't', nodeType: 'input:text', config: { value: 'a bird' } },
          { id: 'c', nodeType: 'utility:code', config: { ...CONFIG, code: 'export default () => missing' } },
          { id: 'p', nodeType: 'output:preview' },
        ],
        edges: ['t.text -> c.words', 'c.items -> p.input'],
      });
      const workflowId = String(created.id);
      const failed = await agent.call('run_workflow', { workflowId });
      assert.match(failed.text, /'missing' is not defined \(line 1, column \d+\)/);
      const wrong = await agent.call('edit_workflow', {
        workflowId,
        baseVersion: created.version,
        operations: [{ op: 'connect', edge: 'c.nothing -> p.input' }],
      });
      assert.match(wrong.text, /no output port "out-nothing"\. Use one of out-items, out-count/);
      const edited = await agent.get('edit_workflow', {
        workflowId,
        baseVersion: wrong.data.version,
        operations: [
          { op: 'disconnect', edge: 'c.nothing -> p.input' },
          { op: 'set_config', nodeId: 'c', config: { code: CODE } },
        ],
      });
      assert.deepEqual(edited.issues ?? [], []);
      const run = await agent.call('run_workflow', { workflowId, inputs: { t: 'one two' } });
      assert.equal(run.data.status, 'COMPLETED', run.text);
      assert.ok(run.text.includes('ONE') && run.text.includes('TWO'), run.text);
      const read = await agent.get('get_workflow', { workflowId, detail: 'full' });
      assert.ok(JSON.stringify(read).includes(JSON.stringify(CODE).slice(1, -1)), 'the program is unchanged');
      await agent.close();
    });
  });
}
