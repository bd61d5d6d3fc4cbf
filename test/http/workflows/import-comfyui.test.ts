// Tests the import of ComfyUI's files.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { deflateSync } from 'node:zlib';
import { makePng } from '../../graph/comfyui/images.ts';
import { makeFile, makeNode, TEXT_TO_IMAGE } from '../../graph/comfyui/ui-files.ts';
import { type ApiUser, createTestApp, type TestApp } from '../../support/app.ts';
import { createWorkflow, type Workflow } from '../../support/workflows.ts';

interface Imported {
  readonly workflow: Workflow;
  readonly report: {
    readonly format: string;
    readonly nodes: readonly { source: string; outcome: string; nodeId?: string; message?: string }[];
    readonly counts: Readonly<Record<string, number>>;
  };
  readonly error: string;
  readonly code: string;
}

let test: TestApp;
let user: ApiUser;
let other: ApiUser;

before(async () => {
  test = await createTestApp();
  user = await test.createUser();
  other = await test.createUser();
});
after(() => test.close());

const importFile = (body: object, as = user) => as.request<Imported>('POST', '/workflows/import', body);
const uploadPng = async (png: Buffer) => {
  const dataUrl = `data:image/png;base64,${png.toString('base64')}`;
  const { status, body } = await user.request<{ mediaId: string }>('POST', '/media/upload', { dataUrl });
  assert.equal(status, 200);
  return body;
};
const countWorkflows = async () => {
  const { rows } = await test.deps.db.query('select count(*)::int as total from workflows');
  return rows[0]?.total;
};
const findNode = ({ workflow }: Imported, id: string) => workflow.nodes.find(node => node.id === id);
const getConfig = (body: Imported, id: string) =>
  (findNode(body, id)?.data.config ?? {}) as Record<string, unknown>;
const getGraph = (body: Imported) => getConfig(body, 'comfyui').graph as Record<string, { inputs: object }>;

describe('POST /workflows/import with a ComfyUI file', () => {
  it('creates a board with inputs, the graph, previews, notes and groups', async () => {
    const { status, body, headers } = await importFile({ source: TEXT_TO_IMAGE, name: 'Fox' });
    assert.equal(status, 201, body.error);
    const { workflow, report } = body;
    assert.equal(workflow.name, 'Fox');
    assert.match(String(headers.location), new RegExp(`/workflows/${workflow.id}$`));
    assert.deepEqual(
      workflow.nodes.map(({ data }) => [data.nodeType, data.label]),
      [
        ['input:text', 'Prompt'],
        ['input:text', 'Negative prompt'],
        ['comfyui:workflow', 'Fox'],
        ['output:preview', 'Image'],
        ['utility:sticky_note', 'Note'],
        ['utility:group', 'Text'],
      ],
    );
    assert.equal(getConfig(body, 'input-1').value, 'a fox');
    const config = getConfig(body, 'comfyui');
    assert.equal(config.seeds, 'random');
    assert.deepEqual(JSON.parse(String(config.source)), TEXT_TO_IMAGE);
    assert.deepEqual(
      ((findNode(body, 'comfyui')?.data.inputs ?? []) as { id: string; type: string }[]).map(
        ({ id, type }) => [id, type],
      ),
      [
        ['prompt', 'TEXT'],
        ['negative_prompt', 'TEXT'],
      ],
    );
    assert.equal(workflow.edges.length, 3);
    assert.equal(report.format, 'comfyui-ui-0.4');
    assert.deepEqual(report.counts, { mapped: 1, wrapped: 7, kept: 0, dropped: 0 });
    assert.equal(report.nodes.length, 8);
    assert.deepEqual(report.nodes.at(-1), {
      source: '10',
      sourceType: 'Note',
      outcome: 'mapped',
      nodeId: 'note-1',
    });
  });

  it('reads the file as text, and large seeds as ComfyUI does', async () => {
    const api = '{"3":{"class_type":"KSampler","inputs":{"seed":18446744073709551615}}}';
    for (const source of [api, JSON.parse(api.replace('18446744073709551615', '1.8446744073709552e19'))]) {
      const { status, body } = await importFile({ source });
      assert.equal(status, 201, body.error);
      assert.equal(body.report.format, 'comfyui-api');
      const graph = getGraph(body);
      assert.deepEqual(graph['3']?.inputs, { seed: 2 ** 64 });
    }
  });

  it('keeps seeds that were sent as JSON beside a file', async () => {
    const payload =
      '{"name":"A","source":{"3":{"class_type":"KSampler","inputs":{"seed":18446744073709551615}}}}';
    const { statusCode, body } = await test.app.inject({
      method: 'POST',
      url: '/api/v1/workflows/import',
      headers: { authorization: `Bearer ${user.key}`, 'content-type': 'application/json' },
      payload,
    });
    assert.equal(statusCode, 201, body);
  });

  it('stores nothing with dryRun', async () => {
    const count = await countWorkflows();
    const { status, body } = await importFile({ source: TEXT_TO_IMAGE, dryRun: true });
    assert.equal(status, 200, body.error);
    assert.equal(body.workflow.id, undefined);
    assert.equal(body.workflow.nodes.length, 6);
    assert.equal(body.report.counts.wrapped, 7);
    assert.equal(await countWorkflows(), count);
  });

  it('reports muted nodes, and nodes of subgraphs by their path', async () => {
    const id = '1f5e0b9c-6c1c-4c5e-9a53-111111111111';
    const definition = {
      id,
      name: 'Inner',
      inputs: [],
      outputs: [],
      links: [],
      nodes: [makeNode(3, 'PreviewAny')],
    };
    const file = makeFile([makeNode(20, id), makeNode(1, 'LoadImage', { mode: 2 })], [], {
      definitions: { subgraphs: [definition] },
    });
    const { body } = await importFile({ source: file });
    assert.deepEqual(
      body.report.nodes.map(({ source, outcome }) => [source, outcome]),
      [
        ['20', 'wrapped'],
        ['20:3', 'wrapped'],
        ['1', 'dropped'],
      ],
    );
    assert.equal(body.report.nodes[2]?.message, 'The node is muted.');
  });

  it('reads an image that contains a graph', async () => {
    const png = makePng([['tEXt', Buffer.from(`workflow\0${JSON.stringify(TEXT_TO_IMAGE)}`)]]);
    const media = await uploadPng(png);
    const { status, body } = await importFile({ mediaId: media.mediaId, name: 'From an image' });
    assert.equal(status, 201, body.error);
    assert.equal(body.report.format, 'comfyui-ui-0.4');
    assert.equal((await importFile({ mediaId: media.mediaId }, other)).status, 403);
    const plain = await uploadPng(makePng([]));
    assert.deepEqual((await importFile({ mediaId: plain.mediaId })).body.code, 'unknown_format');
    assert.equal((await importFile({ mediaId: 'med_00000000000000000000000000' })).status, 404);
  });

  it('accepts an export of the service as a file', async () => {
    const { id } = await createWorkflow(user);
    const { body: file } = await user.request<Record<string, unknown>>('GET', `/workflows/${id}/export`);
    const { status, body } = await importFile({ source: JSON.stringify(file), name: 'Copy' });
    assert.equal(status, 201, body.error);
    assert.deepEqual([body.report.format, body.workflow.name], ['graphwright', 'Copy']);
    assert.equal(body.report.counts.mapped, body.workflow.nodes.length);
    const dry = await importFile({ source: file, dryRun: true });
    assert.equal(dry.status, 200, dry.body.error);
    const malformed = await importFile({ source: { ...file, name: 5 } });
    assert.deepEqual([malformed.status, malformed.body.code], [400, 'invalid_graph']);
  });

  it('refuses other and hostile files with a sentence, and stores nothing', async () => {
    const count = await countWorkflows();
    const cases: readonly (readonly [object, string, RegExp])[] = [
      [{ source: 'not JSON' }, 'unknown_format', /ComfyUI workflows/],
      [{ source: {} }, 'unknown_format', /PNG and WebP/],
      [{ source: 5 }, 'unknown_format', /no known format/],
      [{ source: [1, 2] }, 'unknown_format', /no known format/],
      [{}, 'invalid_request', /source, or mediaId/],
      [{ source: makeFile([5]) }, 'invalid_graph', /A node must be an object, at \/nodes\/0\./],
      [
        { source: makeFile(Array.from({ length: 9000 }, (_, id) => makeNode(id, 'VAEDecode'))) },
        'invalid_graph',
        /has 9000 nodes.*maximum is 2000/,
      ],
      [
        { source: '{"1":{"class_type":"A","inputs":{"__proto__":{"polluted":true}}}}' },
        'invalid_graph',
        /must not be __proto__/,
      ],
      [{ source: '['.repeat(300) + ']'.repeat(300) }, 'invalid_request', /nested more than/],
    ];
    for (const [body, code, message] of cases) {
      const { status, body: answer } = await importFile(body);
      assert.deepEqual([status, answer.code], [400, code], JSON.stringify(body).slice(0, 80));
      assert.match(answer.error, message);
    }
    assert.equal(await countWorkflows(), count);
  });

  it('stores text that the database refuses in another form', async () => {
    const source = '{"1":{"class_type":"A","inputs":{"text":"a\\u0000b \\ud800"}}}';
    const { status, body } = await importFile({ source });
    assert.equal(status, 201, body.error);
    const graph = getGraph(body);
    assert.deepEqual(graph['1']?.inputs, { text: 'ab \ufffd' });
  });
});

describe('POST /workflows/import with a hostile file', () => {
  it('refuses 40 MB and images with many texts that grow large, and stores nothing', async () => {
    const before = await countWorkflows();
    const large = await importFile({ source: 'a'.repeat(42_000_000) });
    assert.equal(large.status, 413);
    assert.match(large.body.error, /\.$/);
    const bomb = Buffer.concat([Buffer.from('workflow\0\x01\0\0\0'), deflateSync(Buffer.alloc(20_000_000))]);
    const { mediaId } = await uploadPng(makePng(Array.from({ length: 50 }, () => ['iTXt', bomb] as const)));
    const image = await importFile({ mediaId });
    assert.deepEqual([image.status, image.body.code], [400, 'unknown_format']);
    assert.equal(await countWorkflows(), before);
  });
});

describe('GET /workflows/{id}/export with format=comfyui', () => {
  const exportFor = (id: string, query = '', as = user) =>
    as.request<Record<string, unknown>>('GET', `/workflows/${id}/export?format=comfyui${query}`);

  it('returns the imported file as it was', async () => {
    const { body } = await importFile({ source: TEXT_TO_IMAGE });
    const { status, body: file, headers } = await exportFor(body.workflow.id);
    assert.equal(status, 200);
    assert.deepEqual(file, TEXT_TO_IMAGE);
    assert.match(String(headers['content-disposition']), /\.json"$/);
  });

  it('has the current values of connected inputs and of the graph', async () => {
    const { body } = await importFile({ source: TEXT_TO_IMAGE });
    const { id, nodes, edges } = body.workflow;
    const changed = nodes.map(node => {
      const config = node.data.config as Record<string, unknown>;
      if (node.id === 'input-1') return { ...node, data: { ...node.data, config: { value: 'a cat' } } };
      if (node.id !== 'comfyui') return node;
      const graph = structuredClone(config.graph) as Record<string, { inputs: Record<string, unknown> }>;
      if (graph['3'] !== undefined) graph['3'].inputs.steps = 8;
      return { ...node, data: { ...node.data, config: { ...config, graph } } };
    });
    const { status } = await user.request('PUT', `/workflows/${id}`, { nodes: changed, edges });
    assert.equal(status, 200);
    const { body: file } = await exportFor(id, '&node=comfyui');
    const valuesOf = (nodeId: number) =>
      (file.nodes as { id: number; widgets_values: unknown[] }[]).find(node => node.id === nodeId)
        ?.widgets_values;
    assert.deepEqual(valuesOf(6), ['a cat']);
    assert.deepEqual(valuesOf(7), ['blurry']);
    assert.deepEqual(valuesOf(3), [42, 'randomize', 8, 7.5, 'ddim', 'karras', 0.9]);
  });

  it('returns the API format if the file was in it, and 404 without such a node', async () => {
    const source = { '1': { class_type: 'LoadImage', inputs: { image: 'a.png' } } };
    const { body } = await importFile({ source });
    assert.deepEqual((await exportFor(body.workflow.id)).body, source);
    assert.equal((await exportFor(body.workflow.id, '&node=input-1')).status, 404);
    const { id } = await createWorkflow(user);
    assert.equal((await exportFor(id)).status, 404);
    assert.equal((await exportFor(id, '', other)).status, 403);
  });
});
