// Tests every tool with valid and invalid arguments over both protocol revisions.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { TOOLS } from '../../src/mcp/tool-table.ts';
import { type Agent, connectAgent, REVISIONS, type ToolResult } from '../support/mcp/agent.ts';
import { waitUntil } from '../support/processes.ts';
import { startAsking, waitForApproval } from '../support/runs/approvals.ts';
import { KEY, startTestService, type TestService } from '../support/service.ts';
import { edge, node } from '../support/workflows.ts';

const MAX_CHARACTERS = 24_000;
const UNKNOWN_WORKFLOW_ID = 'wf_00000000000000000000000000';

let service: TestService;
let foreignId: string;
before(async () => {
  service = await startTestService();
  const otherUser = await service.createUser();
  foreignId = await otherUser.createWorkflow({ name: 'Theirs', nodes: [node('a', 'input:text')], edges: [] });
});
after(() => service.close());

const ajv = new Ajv2020({ strict: false });
const validators = new Map(TOOLS.map(({ name, output }) => [name, ajv.compile(output)]));

/** Calls a tool with arguments as JSON text, and returns the text of the response. */
async function callWithText(name: string, args: string): Promise<string> {
  const response = await fetch(`${service.url}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${KEY}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":${args}}}`,
  });
  return response.text();
}

function checkResult(name: string, { data, text }: ToolResult): void {
  const validate = validators.get(name);
  assert.ok(validate?.(data), `${name}: ${JSON.stringify(validate?.errors)}`);
  assert.ok(text.length <= MAX_CHARACTERS && JSON.stringify(data).length <= MAX_CHARACTERS);
  assert.doesNotMatch(JSON.stringify(data), /base64/);
}

/**
 * Invalid arguments of a tool, and the expected code and message. `$` is replaced by the id of the caller's workflow,
 * `$foreign` by the id of somebody else's workflow.
 */
type InvalidCall = readonly [tool: string, args: Record<string, unknown>, code: string, message?: RegExp];
const NODE = { id: 'a', nodeType: 'input:text' };
const INVALID_CALLS: readonly InvalidCall[] = [
  ['find_nodes', { query: 5 }, 'invalid_request', /\/query must be string/],
  ['find_nodes', { limit: 51 }, 'invalid_request'],
  ['find_nodes', { accepts: 'PICTURE' }, 'invalid_request', /must be one of TEXT/],
  ['find_nodes', { nodeTypes: ['generate:sandbix'] }, 'not_found', /Did you mean "generate:sandbox"/],
  ['find_nodes', { nodeTypes: ['a', 'b', 'c', 'd', 'e', 'f'] }, 'invalid_request'],
  ['find_nodes', { words: 'x' }, 'invalid_request', /\/words is not an argument; the arguments are query/],
  ['list_workflows', { cursor: 'nonsense' }, 'invalid_request'],
  ['list_workflows', { limit: 0 }, 'invalid_request'],
  ['get_workflow', {}, 'invalid_request', /\/workflowId is missing/],
  ['get_workflow', { workflowId: UNKNOWN_WORKFLOW_ID }, 'not_found'],
  ['get_workflow', { workflowId: '$foreign' }, 'forbidden'],
  ['get_workflow', { workflowId: '$', detail: 'everything' }, 'invalid_request'],
  ['create_workflow', { name: 'x', nodes: [], edges: [] }, 'invalid_graph'],
  ['create_workflow', { name: '', nodes: [NODE], edges: [] }, 'invalid_request'],
  [
    'create_workflow',
    { name: 'x', nodes: [{ ...NODE, nodeType: 'input:txt' }], edges: [] },
    'invalid_graph',
    /input:text/,
  ],
  ['create_workflow', { name: 'x', nodes: [NODE, NODE], edges: [] }, 'invalid_graph'],
  [
    'create_workflow',
    { name: 'x', nodes: [NODE], edges: ['a.text'] },
    'invalid_graph',
    /"node.port -> node.port"/,
  ],
  ['create_workflow', { name: 'x', nodes: [NODE], edges: ['a.text -> z.text'] }, 'invalid_graph'],
  [
    'create_workflow',
    { name: 'x', nodes: [{ id: 'v', nodeType: 'video:renderer' }], edges: [] },
    'field_not_writable',
    /clone a template/,
  ],
  ['create_workflow', { name: 'x', nodes: 'all', edges: {} }, 'invalid_request'],
  ['create_workflow', { name: 'x', nodes: [{ ...NODE, config: 5 }], edges: [] }, 'invalid_request'],
  ['edit_workflow', { workflowId: '$', baseVersion: 1, operations: [] }, 'invalid_request'],
  [
    'edit_workflow',
    { workflowId: '$', baseVersion: 7, operations: [{ op: 'rename', label: 'x' }] },
    'stale_write',
    /version 1, not 7/,
  ],
  ['edit_workflow', { workflowId: '$', baseVersion: 1, operations: [{ op: 'explode' }] }, 'invalid_request'],
  [
    'edit_workflow',
    { workflowId: '$', baseVersion: 1, operations: [{ op: 'remove_node', nodeId: 'tex' }] },
    'invalid_request',
    /\/operations\/0\/nodeId: node tex not found: did you mean text\?/,
  ],
  [
    'edit_workflow',
    {
      workflowId: '$',
      baseVersion: 1,
      operations: [{ op: 'add_node', nodeId: 'text', nodeType: 'input:text' }],
    },
    'invalid_request',
    /already/,
  ],
  [
    'edit_workflow',
    {
      workflowId: '$',
      baseVersion: 1,
      operations: [{ op: 'add_node', nodeId: 'v', nodeType: 'video:renderer' }],
    },
    'field_not_writable',
  ],
  [
    'edit_workflow',
    { workflowId: '$', baseVersion: 1, operations: [{ op: 'disconnect', edge: 'text.text -> shown.inpt' }] },
    'invalid_request',
    /did you mean/,
  ],
  [
    'edit_workflow',
    { workflowId: '$foreign', baseVersion: 1, operations: [{ op: 'rename', label: 'x' }] },
    'forbidden',
  ],
  [
    'update_workflow_config',
    { workflowId: '$', changes: [{ nodeId: 'nobody', config: {} }] },
    'invalid_request',
    /\/changes\/0\/nodeId/,
  ],
  ['update_workflow_config', { workflowId: '$', changes: [{ nodeId: 'text' }] }, 'invalid_request'],
  [
    'update_workflow_config',
    { workflowId: '$', changes: [{ nodeId: 'text', config: { value: 'x' } }], baseVersion: 9 },
    'stale_write',
  ],
  ['check_workflow', {}, 'invalid_request', /either workflowId, or nodes/],
  ['check_workflow', { workflowId: '$', nodes: [NODE] }, 'invalid_request'],
  ['check_workflow', { workflowId: '$foreign' }, 'forbidden'],
  ['run_workflow', { workflowId: '$', inputs: { nobody: 1 } }, 'invalid_inputs'],
  ['run_workflow', { workflowId: '$', inputs: ['x'] }, 'invalid_request'],
  ['run_workflow', { workflowId: '$', waitSeconds: 241 }, 'invalid_request'],
  ['run_workflow', { workflowId: '$', targets: ['nobody'] }, 'invalid_request'],
  ['run_workflow', { workflowId: '$foreign' }, 'forbidden'],
  ['run_workflow', { workflowId: '$', idempotencyKey: 'ü' }, 'invalid_request'],
  ['get_execution', { executionId: 'ex_nothing' }, 'not_found'],
  ['get_execution', { executionId: 5 }, 'invalid_request'],
  ['cancel_execution', { executionId: 'ex_nothing' }, 'not_found'],
  ['list_approvals', { limit: 5 }, 'invalid_request'],
  ['decide_approval', { id: 'apv_nothing', approve: true }, 'not_found'],
  ['run_batch', { workflowId: '$', rows: [{ inputs: {} }] }, 'invalid_request'],
  ['run_batch', { workflowId: '$', maxCredits: 0, rows: [{ inputs: { nobody: 1 } }] }, 'invalid_rows'],
  [
    'run_batch',
    { workflowId: '$', maxCredits: 0, matrix: {} },
    'invalid_request',
    /matrix must vary at least one/,
  ],
  ['run_batch', { workflowId: '$', maxCredits: 0, matrix: { inputs: { text: 'x' } } }, 'invalid_request'],
  ['run_batch', { workflowId: '$foreign', maxCredits: 0, rows: [{ inputs: {} }] }, 'forbidden'],
  ['get_batch', { batchId: 'bat_nothing' }, 'not_found'],
  ['list_automations', { workflowId: '$foreign' }, 'forbidden'],
  ['set_automation_active', { id: 'sch_nothing', isActive: false }, 'not_found'],
  ['run_automation', { id: 'nothing' }, 'not_found'],
  ['find_apps', { slug: 'no-such-app' }, 'not_found'],
  ['run_app', { slug: 'no-such-app', inputs: {} }, 'not_found'],
  ['run_app', { slug: 'no-such-app' }, 'invalid_request'],
  ['list_templates', { category: 3 }, 'invalid_request'],
  ['clone_template', { templateId: 'tpl_nothing' }, 'not_found'],
  ['clone_template', { templateId: '$foreign' }, 'forbidden'],
  ['publish_workflow', { workflowId: '$', published: 'yes' }, 'invalid_request'],
  ['publish_workflow', { workflowId: '$', published: true, slug: 'No Slug' }, 'invalid_request'],
  ['publish_workflow', { workflowId: '$', published: true, exposedInputs: ['shown'] }, 'invalid_request'],
  ['add_media', {}, 'invalid_request', /Send url, or filename/],
  ['add_media', { url: 'http://127.0.0.1/secret.png' }, 'fetch_failed'],
  ['add_media', { url: 'file:///etc/passwd' }, 'fetch_failed'],
  [
    'add_media',
    { filename: 'a.exe', contentType: 'application/x-msdownload', bytes: 10 },
    'unsupported_type',
  ],
  ['add_media', { mediaId: 'med_nothing' }, 'invalid_media_id'],
];

for (const revision of REVISIONS) {
  describe(`the MCP tools over ${revision}`, () => {
    let agent: Agent;
    let ownId: string;
    before(async () => {
      agent = await connectAgent(`${service.url}/mcp`, KEY, revision);
      ownId = await service.createWorkflow({
        name: 'Own',
        nodes: [node('text', 'input:text', { value: 'x' }), node('shown', 'output:preview')],
        edges: [edge('text.text > shown.input')],
      });
    });
    after(() => agent.close());

    it('are all covered by the list of invalid calls', () => {
      assert.deepEqual(
        [...new Set(INVALID_CALLS.map(([tool]) => tool))].sort(),
        TOOLS.map(({ name }) => name).sort(),
      );
    });

    it('reject invalid arguments with a code and a message', async () => {
      for (const [tool, template, code, message] of INVALID_CALLS) {
        const args = Object.fromEntries(
          Object.entries(template).map(([key, value]) => [
            key,
            value === '$' ? ownId : value === '$foreign' ? foreignId : value,
          ]),
        );
        const result = await agent.call(tool, args);
        const details = `${tool} ${JSON.stringify(template)}: ${result.text}`;
        assert.equal(result.isError, true, details);
        assert.equal(result.data.code, code, details);
        assert.match(result.text, /^\S.+[.?] \(\w+\)/, details);
        if (message !== undefined) assert.match(result.text, message, details);
        checkResult(tool, result);
      }
    });

    it('reject a number that JavaScript would round', async () => {
      const text = await callWithText(
        'update_workflow_config',
        `{"workflowId":"${ownId}","baseVersion":1,"changes":[{"nodeId":"text","config":{"value":12345678901234567890}}]}`,
      );
      assert.match(text, /\/changes\/0\/config\/value is a number that would lose precision/);
    });

    it('keep the exact numbers of inputs and results', async () => {
      const workflowId = await service.createWorkflow({
        nodes: [node('data', 'input:json'), node('out', 'output:preview')],
        edges: [edge('data.json > out.input')],
      });
      const exact = '{"id":9007199254740993,"price":0.10000000000000000001}';
      const run = await callWithText(
        'run_workflow',
        `{"workflowId":"${workflowId}","inputs":{"data":${exact}}}`,
      );
      assert.ok(run.includes(`"structuredContent":`) && run.split(exact).length > 1, run);
      for (const rows of [
        `"rows":[{"inputs":{"data":${exact}}}]`,
        `"matrix":{"inputs":{"data":[${exact}]}}`,
      ]) {
        const response = await callWithText(
          'run_batch',
          `{"workflowId":"${workflowId}","maxCredits":0,${rows}}`,
        );
        const batchId = /bat_\w+/.exec(response)?.[0];
        await waitUntil('the batch to end', async () =>
          (await callWithText('get_batch', `{"batchId":"${batchId}"}`)).includes('COMPLETED'),
        );
        const batchText = await callWithText('get_batch', `{"batchId":"${batchId}"}`);
        assert.ok(batchText.includes(exact), batchText);
      }
    });

    it('return results that match their output schemas', async () => {
      const succeed = async (tool: string, args: Record<string, unknown>) => {
        const result = await agent.call(tool, args);
        assert.equal(result.isError, false, `${tool}: ${result.text}`);
        checkResult(tool, result);
        return result.data;
      };
      const nodeSearch = await succeed('find_nodes', {
        query: 'resize image',
        accepts: 'IMAGE',
        freeOnly: true,
        limit: 5,
      });
      assert.equal(nodeSearch.nodes[0].nodeType, 'utility:image_resize');
      await succeed('find_nodes', {});
      const fullNodes = await succeed('find_nodes', {
        nodeTypes: ['utility:image_resize', 'video:renderer'],
      });
      assert.match(fullNodes.nodes[0].config.join('\n'), /fit TEXT.*one of cover \| contain/);
      assert.match(fullNodes.nodes[1].note, /clone a template/);
      assert.equal(fullNodes.nodes[1].example, undefined);

      const name = `Round ${revision}`;
      const creation = await succeed('create_workflow', {
        name,
        description: 'all of it',
        nodes: [
          { id: 'a.b', nodeType: 'input:text', label: 'Words', config: { value: 'x' } },
          { id: 'c', nodeType: 'utility:text_template', config: { template: '{{one}}!' } },
        ],
        edges: ['a.b.text -> c.one'],
      });
      const workflowId = creation.id;
      assert.equal(creation.version, 1);
      const list = await succeed('list_workflows', { query: name, limit: 1 });
      assert.equal(list.workflows[0].id, workflowId);
      assert.match(list.workflows[0].url, new RegExp(`/flow/${workflowId}$`));

      const edited = await succeed('edit_workflow', {
        workflowId,
        baseVersion: 1,
        arrange: true,
        operations: [
          { op: 'add_node', nodeId: 'shown', nodeType: 'output:preview' },
          { op: 'connect', edge: 'c -> shown' },
          { op: 'disconnect', edge: 'a.b -> c' },
          { op: 'connect', edge: 'a.b.text -> c.one' },
          { op: 'connect', edge: 'a.b.text -> c.one' },
          { op: 'add_node', nodeId: 'other', nodeType: 'input:text' },
          { op: 'connect', edge: 'other.text -> shown.input' },
          { op: 'connect', edge: 'c.text -> shown.input' },
          { op: 'remove_node', nodeId: 'other' },
          { op: 'set_config', nodeId: 'a.b', config: { value: 'y' } },
          { op: 'rename', nodeId: 'c', label: 'Shout' },
          { op: 'rename', label: `${name} edited` },
          { op: 'add_node', nodeId: 'late', nodeType: 'input:text' },
          { op: 'remove_node', nodeId: 'late' },
          { op: 'replace_node_type', nodeId: 'c', nodeType: 'utility:prompt_concat' },
        ],
      });
      assert.equal(edited.version, 2);
      const outline = await succeed('get_workflow', { workflowId });
      assert.equal(outline.name, `${name} edited`);
      assert.deepEqual(outline.edges, ['a.b.text -> c', 'c.text -> shown.input']);
      assert.equal(
        outline.nodes.find((it: { id: string }) => it.id === 'c').nodeType,
        'utility:prompt_concat',
      );
      assert.equal(outline.nodes.find((it: { id: string }) => it.id === 'c').label, 'Shout');
      const part = await succeed('get_workflow', { workflowId, detail: 'full', nodeIds: ['a.b'] });
      assert.deepEqual(part.nodes, [
        { id: 'a.b', nodeType: 'input:text', label: 'Words', config: { value: 'y' } },
      ]);

      const update = await succeed('update_workflow_config', {
        workflowId,
        baseVersion: 2,
        changes: [{ nodeId: 'a.b', config: { value: 'z' } }],
      });
      assert.equal(update.version, 3);
      const checked = await succeed('check_workflow', {
        workflowId,
        inputs: { 'a.b': 'hello' },
        targets: ['c'],
      });
      assert.deepEqual([checked.ok, checked.credits, checked.exact], [true, 0, true]);
      const sketch = await succeed('check_workflow', {
        nodes: [{ id: 'p', nodeType: 'generate:sandbox' }],
        edges: [],
      });
      assert.equal(sketch.issues[0].code, 'required_port_unfed');

      const run = await succeed('run_workflow', {
        workflowId,
        inputs: { 'a.b': 'hello' },
        idempotencyKey: `once ${revision}`,
        maxCredits: 0,
      });
      assert.equal(run.outputs[0].text, 'hello');
      const repeatedRun = await succeed('run_workflow', {
        workflowId,
        inputs: { 'a.b': 'hello' },
        idempotencyKey: `once ${revision}`,
        maxCredits: 0,
      });
      assert.equal(repeatedRun.executionId, run.executionId);
      const execution = await succeed('get_execution', { executionId: run.executionId, previews: false });
      assert.equal(execution.next, 'Done.');
      await succeed('cancel_execution', { executionId: run.executionId });
      const batch = await succeed('run_batch', {
        workflowId,
        rows: [{ key: 'first', inputs: { 'a.b': 'in a batch' } }],
        maxCredits: 0,
      });
      await waitUntil(
        'the batch',
        async () => (await succeed('get_batch', { batchId: batch.batchId })).status === 'COMPLETED',
      );
      const rows = await succeed('get_batch', { batchId: batch.batchId, status: 'completed' });
      assert.deepEqual([rows.rows[0].key, rows.rows[0].outputs[0].text], ['first', 'in a batch']);
      const settings = {
        slug: `agents-${revision}`,
        title: 'Echo',
        inputs: [{ nodeId: 'a.b' }],
        outputs: [run.outputs[0].nodeId],
      };
      const app = await service.request('PUT', `/workflows/${workflowId}/app`, settings);
      assert.equal(app.status, 200, JSON.stringify(app.body));
      const { apps } = await succeed('find_apps', {});
      assert.ok(apps.some(({ slug }: { slug: string }) => slug === settings.slug));
      const { app: form } = await succeed('find_apps', { slug: settings.slug });
      assert.deepEqual(Object.keys(form.inputSchema.properties), ['input_1']);
      const appRun = await succeed('run_app', { slug: settings.slug, inputs: { input_1: 'from an app' } });
      assert.deepEqual([appRun.status, appRun.outputs.output_1.text], ['COMPLETED', 'from an app']);
      const asking = await startAsking(service);
      await waitForApproval(service, asking);
      const { approvals } = await succeed('list_approvals', {});
      const [approval] = approvals.filter((listed: { executionId: string }) => listed.executionId === asking);
      assert.equal(approval.items[0].text, 'draft');
      const decided = await succeed('decide_approval', { id: approval.id, approve: true, comment: 'Fine' });
      assert.equal(decided.status, 'approved');
      const schedule = { cron: '@yearly', inputs: { 'a.b': 'on time' } };
      await service.request('POST', `/workflows/${workflowId}/schedules`, schedule);
      const { automations } = await succeed('list_automations', { workflowId });
      const [{ id, inputs }] = automations;
      assert.deepEqual([automations.length, inputs], [1, undefined]);
      const automation = await succeed('set_automation_active', { id, isActive: false });
      assert.deepEqual([automation.isActive, automation.nextRunAt], [false, undefined]);
      const { executionId } = await succeed('run_automation', { id });
      const scheduledRun = await succeed('get_execution', { executionId, waitSeconds: 20, previews: false });
      assert.equal(scheduledRun.outputs[0].text, 'on time');
      const published = await succeed('publish_workflow', { workflowId, published: true, title: 'Round' });
      assert.equal(published.version, 3);
      await service.request('POST', `/workflows/${workflowId}/publish`, {
        isPublished: true,
        settings: { isTemplate: true, category: 'text', title: `Template ${revision}` },
      });
      const templates = await succeed('list_templates', { query: `template ${revision}`, category: 'text' });
      assert.deepEqual([templates.templates[0].credits, templates.templates[0].usesRenderer], [0, false]);
      const cloned = await succeed('clone_template', { templateId: templates.templates[0].id });
      assert.notEqual(cloned.id, workflowId);
      const [shipped] = (await succeed('list_templates', { query: 'make a picture' })).templates;
      assert.deepEqual(
        [shipped.id, shipped.needs, shipped.runsNow, shipped.hasSample],
        ['tpl_make-a-picture', ['fal'], false, true],
      );
      const copied = await succeed('clone_template', { templateId: shipped.id, name: `Copy ${revision}` });
      assert.equal((await succeed('get_workflow', { workflowId: copied.id })).nodes.length, 4);
      const minted = await succeed('add_media', {
        filename: "it's.png",
        contentType: 'image/png',
        bytes: 100,
      });
      assert.match(minted.command, /^curl -fsS -T 'it'\\''s.png' /);
      assert.ok(minted.note.includes(`Call add_media again with {"mediaId":"${minted.mediaId}"} alone`));
    });

    it('are accompanied by resources and prompts', async () => {
      const { client } = agent;
      const { resources } = await client.listResources();
      assert.deepEqual(resources.map(({ uri }) => uri).sort(), [
        'graphwright://guide',
        'graphwright://media',
      ]);
      const readResource = async (uri: string) => {
        const [first] = (await client.readResource({ uri })).contents;
        return (first as { text: string }).text;
      };
      assert.match(await readResource('graphwright://guide'), /^# Graphwright for agents/);
      assert.equal(
        JSON.parse(await readResource('graphwright://nodes/generate:sandbox')).nodeType,
        'generate:sandbox',
      );
      assert.equal(JSON.parse(await readResource(`graphwright://workflows/${ownId}`)).id, ownId);
      assert.ok(Array.isArray(JSON.parse(await readResource('graphwright://media')).data));
      await assert.rejects(readResource(`graphwright://workflows/${UNKNOWN_WORKFLOW_ID}`));
      await assert.rejects(readResource(`graphwright://workflows/${foreignId}`));
      const { prompts } = await client.listPrompts();
      assert.deepEqual(
        prompts.map(({ name }) => name),
        ['make_workflow', 'fix_workflow', 'run_and_show'],
      );
      const { messages } = await client.getPrompt({ name: 'make_workflow', arguments: { goal: 'a card' } });
      assert.match(JSON.stringify(messages), /a card/);
      await assert.rejects(client.getPrompt({ name: 'make_workflow', arguments: {} }));
    });
  });
}
