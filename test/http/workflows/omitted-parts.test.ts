// Tests that every route and command that writes a graph fills in missing labels, categories and edge ids.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { type ApiUser, openTestApp, type TestApp } from '../../support/app.ts';
import { callCommand } from '../../support/command-line.ts';

const GRAPH = {
  nodes: [
    { id: 'a', type: 'basedNode', position: { x: 0, y: 0 }, data: { nodeType: 'input:text' } },
    { id: 'b', type: 'basedNode', position: { x: 500, y: 0 }, data: { nodeType: 'output:preview' } },
  ],
  edges: [{ source: 'a', target: 'b', sourceHandle: 'out-text', targetHandle: 'in-input' }],
};
const FILE = { format: 'graphwright-workflow', formatVersion: 1, name: 'File', ...GRAPH };

interface StoredWorkflow {
  readonly id: string;
  readonly nodes: readonly { readonly data: { readonly label: string; readonly category: string } }[];
  readonly edges: readonly { readonly id: string }[];
}

let test: TestApp;
let user: ApiUser;
before(async () => {
  test = await openTestApp();
  user = await test.createUser();
});
after(() => test.close());

const listFilledParts = ({ nodes, edges }: StoredWorkflow): unknown => [
  nodes.map(({ data: { label, category } }) => [label, category]),
  edges.map(({ id }) => id),
];
const EXPECTED_PARTS = [
  [
    ['Text', 'input'],
    ['Preview', 'output'],
  ],
  ['a.text->b.input'],
];

it('POST, PUT and import fill in labels, categories and edge ids', async () => {
  const createResponse = await user.request<StoredWorkflow>('POST', '/workflows', { name: 'W', ...GRAPH });
  assert.equal(createResponse.status, 201, JSON.stringify(createResponse.body));
  const { id } = createResponse.body;
  const importResponse = await user.request<StoredWorkflow>('POST', '/workflows/import', FILE);
  const replaceResponse = await user.request<StoredWorkflow>('PUT', `/workflows/${id}`, GRAPH);
  for (const { body } of [createResponse, importResponse, replaceResponse]) {
    const { body: workflow } = await user.request<StoredWorkflow>('GET', `/workflows/${body.id}`);
    assert.deepEqual(listFilledParts(workflow), EXPECTED_PARTS);
  }
});

it('lint accepts a graph without labels, categories and edge ids', async t => {
  const { body } = await user.request<{ ok: boolean; issues: unknown[] }>('POST', '/workflows/lint', GRAPH);
  assert.deepEqual([body.ok, body.issues], [true, []]);
  const folder = mkdtempSync(join(tmpdir(), 'graphwright-omitted-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'workflow.json');
  writeFileSync(path, JSON.stringify({ name: 'W', ...GRAPH }));
  const lintResult = await callCommand(['lint', path, '--json']);
  assert.deepEqual([lintResult.code, JSON.parse(lintResult.out).issues], [0, []]);
  assert.deepEqual(listFilledParts(JSON.parse((await callCommand(['layout', path])).out)), EXPECTED_PARTS);
});

it('POST refuses nodes without ids', async () => {
  const [{ id: _, ...first } = {}, second] = GRAPH.nodes;
  const body = { name: 'W', nodes: [first, second], edges: [] };
  const response = await user.request<{ issues: { code: string }[] }>('POST', '/workflows', body);
  assert.deepEqual([response.status, response.body.issues[0]?.code], [400, 'missing_node_id']);
});
