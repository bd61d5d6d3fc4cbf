// Performs typical tasks of an agent over MCP without a model, and checks the results over REST.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { createPasswordLink } from '../../src/services/sessions/password-links.ts';
import { PASSWORD, readLinkToken } from '../support/accounts/people.ts';
import type { TestUser } from '../support/client.ts';
import { MODEL, type PaidService, PRICE, startPaidService } from '../support/credits/paid.ts';
import { type Agent, connectAgent, REVISIONS, type ToolResult } from '../support/mcp/agent.ts';
import {
  connect as authorize,
  CookieBrowser,
  createOAuthClient,
  ORIGIN,
  type Send,
  sendOverNetwork,
} from '../support/oauth/clients.ts';
import { isNightly } from '../support/tier.ts';
import { edge, node } from '../support/workflows.ts';

const MAX_CALLS = 7;
const MAX_TOKENS = 4000;
const SCOPES = ['workflows:read', 'workflows:write', 'workflows:execute', 'account:admin'];

let paid: PaidService;
before(async () => {
  paid = await startPaidService();
  paid.reset();
});
after(() => paid.close());

const createPerson = (credits: number): Promise<TestUser> =>
  paid.service.createUser({ credits, keyScopes: SCOPES });

/** Returns the bearer token of an agent: a key in its settings, or a token that a user granted on the consent page. */
const BEARER_READERS: Readonly<Record<string, (caller: TestUser) => Promise<string>>> = {
  'a key': async ({ key }) => key,
  'an access token': async ({ userId }) => {
    const { db, url: service } = paid.service;
    const site = { now: Date.now, settings: { BASE_URL: ORIGIN } };
    const { url } = await createPasswordLink(db, site, { userId, kind: 'reset' });
    const form = { token: readLinkToken(url), password: PASSWORD };
    const { headers } = await paid.service.request('POST', '/auth/accept-invite', form);
    const cookie = (headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '';
    const send: Send = (method, address, request) =>
      sendOverNetwork(method, address.replace(ORIGIN, service), request);
    const { access_token } = await authorize(createOAuthClient(send), new CookieBrowser(send, { cookie }));
    return access_token;
  },
};

/** Counts the tokens of a result that a client passes to a model. Images are not counted. */
function countTokens({ content, data }: ToolResult): number {
  const textContent = content.filter(({ type }) => type !== 'image');
  return encode(JSON.stringify({ content: textContent, structuredContent: data })).length;
}

/** Returns `prompt` from `prompt TEXT, required`. */
const getPort = (line: string): string => line.split(' ')[0] ?? '';

/** Publishes a template that turns a text into a short video. */
async function publishVideoTemplate(owner: TestUser): Promise<void> {
  const sceneGraph = {
    fps: 10,
    width: 64,
    height: 36,
    scenes: [{ duration: 0.4, background: '#336699' }],
    overlays: [{ type: 'text', text: '{{title}}' }],
  };
  const id = await owner.createWorkflow({
    name: 'Title card video',
    nodes: [
      node('title', 'input:text', { value: 'Hello' }),
      node('video', 'video:renderer', { props: { sceneGraph } }),
      node('shown', 'output:preview'),
    ],
    edges: [edge('title.text > video.title'), edge('video.video > shown.input')],
  });
  const settings = { title: 'Title card video', category: 'video', allowDuplicate: true, isTemplate: true };
  const { status, body } = await owner.request('POST', `/workflows/${id}/publish`, {
    isPublished: true,
    settings,
  });
  assert.equal(status, 200, JSON.stringify(body));
}

/** By day, each revision and each credential is used once. */
const AGENTS = REVISIONS.flatMap((revision, revisionIndex) =>
  Object.entries(BEARER_READERS)
    .filter((_, index) => isNightly || index === revisionIndex)
    .map(([credential, readBearer]) => ({ revision, credential, readBearer })),
);

for (const { revision, credential, readBearer } of AGENTS) {
  describe(`an agent over ${revision} with ${credential}`, () => {
    let person: TestUser;
    let agent: Agent;
    const connect = async (caller: TestUser): Promise<Agent> =>
      connectAgent(`${paid.service.url}/mcp`, await readBearer(caller), revision);
    before(async () => {
      person = await createPerson(100);
      agent = await connect(person);
    });
    after(() => agent.close());

    it(`creates an image card with at most ${MAX_CALLS} calls and ${MAX_TOKENS} tokens`, async t => {
      const ownAgent = await connect(person);
      const nodeSearch = await ownAgent.get('find_nodes', {
        query: 'text image card',
        produces: 'IMAGE',
        freeOnly: true,
      });
      const card = nodeSearch.nodes.find((item: { about: string }) => /card|text/i.test(item.about)).nodeType;
      const details = await ownAgent.get('find_nodes', { nodeTypes: [card, 'input:text', 'output:preview'] });
      const [entry, input, output] = details.nodes;
      const title = getPort(entry.in.find((line: string) => / TEXT/.test(line)));
      const workflow = await ownAgent.get('create_workflow', {
        name: 'Card',
        nodes: [
          { ...input.example, id: 'words' },
          { ...entry.example, id: 'card' },
          { ...output.example, id: 'result' },
        ],
        edges: [
          `words.${getPort(input.out[0])} -> card.${title}`,
          `card.${getPort(entry.out[0])} -> result.${getPort(output.in[0])}`,
        ],
      });
      assert.deepEqual(workflow.estimate, { credits: 0, exact: true });
      const run = await ownAgent.call('run_workflow', {
        workflowId: workflow.id,
        inputs: { words: 'Good morning' },
      });
      assert.equal(run.data.status, 'COMPLETED', run.text);

      assert.ok(ownAgent.calls.length <= MAX_CALLS, `${ownAgent.calls.length} calls`);
      const tokens = ownAgent.calls.reduce((sum, call) => sum + countTokens(call), 0);
      assert.ok(tokens <= MAX_TOKENS, `${tokens} tokens`);
      t.diagnostic(`${ownAgent.calls.length} calls, ${tokens} tokens`);
      const link = run.content.find(({ type }) => type === 'resource_link');
      assert.match(String(link?.mimeType), /^image\//);
      const preview = run.content.find(({ type }) => type === 'image');
      assert.equal(preview?.mimeType, 'image/jpeg');
      assert.ok(String(preview?.data).length <= 44_000);
      const record = await person.readExecution(run.data.executionId);
      assert.equal(record.trigger, 'mcp');
      assert.equal(record.status, 'COMPLETED');
      const response = await person.request<{ nodes: { position: object }[] }>(
        'GET',
        `/workflows/${workflow.id}`,
      );
      const positions = new Set(response.body.nodes.map(({ position }) => JSON.stringify(position)));
      assert.equal(positions.size, 3, 'each node has its own position');
      await ownAgent.close();
    });

    it('repairs a graph with the suggestions of its issues', async () => {
      const workflowId = await person.createWorkflow({
        name: 'Broken',
        nodes: [
          node('idea', 'input:text', { value: 'a fox' }),
          node('picture', 'generate:sandbox', { widht: 512 }),
          node('result', 'output:preview'),
        ],
        edges: [edge('idea.text > picture.promt'), edge('picture.image > result.input')],
      });
      const { issues } = await agent.get('check_workflow', { workflowId });
      const { version, edges } = await agent.get('get_workflow', { workflowId });
      const invalidEdge = edges.find((line: string) => line.includes('promt'));
      const operations = issues
        .filter((issue: { suggestion?: string }) => issue.suggestion !== undefined)
        .flatMap((issue: { code: string; nodeId?: string; path: string; suggestion: string }) =>
          issue.code === 'unknown_port'
            ? [
                { op: 'disconnect', edge: invalidEdge },
                { op: 'connect', edge: invalidEdge.replace('promt', issue.suggestion) },
              ]
            : [{ op: 'set_config', nodeId: issue.nodeId, config: { widht: null, [issue.suggestion]: 512 } }],
        );
      const edited = await agent.get('edit_workflow', { workflowId, baseVersion: version, operations });
      assert.deepEqual(edited.issues, []);
      const run = await agent.get('run_workflow', { workflowId });
      assert.equal(run.status, 'COMPLETED');
      const { nodes } = (
        await person.request<{ nodes: { id: string; data: { config: object } }[] }>(
          'GET',
          `/workflows/${workflowId}`,
        )
      ).body;
      assert.deepEqual(nodes.find(({ id }) => id === 'picture')?.data.config, { width: 512 });
      const stale = await agent.call('edit_workflow', { workflowId, baseVersion: version, operations });
      assert.equal(stale.data.code, 'stale_write');
    });

    it('clones and runs a template that contains a renderer', async () => {
      await publishVideoTemplate(await createPerson(0));
      const { templates } = await agent.get('list_templates', { query: 'title card' });
      assert.equal(templates[0].usesRenderer, true);
      const workflow = await agent.get('clone_template', { templateId: templates[0].id, name: 'Mine' });
      const { inputs, nodes, version } = await agent.get('get_workflow', { workflowId: workflow.id });
      const video = nodes.find((item: { nodeType: string }) => item.nodeType === 'video:renderer').id;
      for (const refused of [
        await agent.call('update_workflow_config', {
          workflowId: workflow.id,
          changes: [{ nodeId: video, config: { templateId: 'x' } }],
        }),
        await agent.call('edit_workflow', {
          workflowId: workflow.id,
          baseVersion: version,
          operations: [{ op: 'add_node', nodeId: 'more', nodeType: 'video:renderer' }],
        }),
      ]) {
        assert.equal(refused.isError, true);
        assert.equal(refused.data.code, 'field_not_writable', refused.text);
      }
      const run = await agent.call('run_workflow', {
        workflowId: workflow.id,
        inputs: { [inputs[0].nodeId]: 'Good evening' },
        waitSeconds: 90,
      });
      assert.equal(run.data.status, 'COMPLETED', run.text);
      const links = run.content.filter(({ type }) => type === 'resource_link');
      assert.deepEqual(
        links.map(({ mimeType }) => mimeType),
        ['video/mp4'],
      );
      assert.equal(run.content.filter(({ type }) => type === 'image').length, 1, 'a still of the video');
      assert.equal((await person.request('GET', `/workflows/${workflow.id}`)).status, 200);
    });

    it('cancels a run', async () => {
      const workflowId = await person.createWorkflow({
        name: 'Slow',
        nodes: [node('a', 'input:text', { value: 'x' }), node('b', 'logic:delay', { ms: 600_000 })],
        edges: [edge('a.text > b.input')],
      });
      const run = await agent.get('run_workflow', { workflowId, waitSeconds: 0 });
      assert.match(run.next, new RegExp(run.executionId));
      await agent.get('cancel_execution', { executionId: run.executionId });
      const execution = await agent.get('get_execution', { executionId: run.executionId, waitSeconds: 30 });
      assert.equal(execution.status, 'CANCELLED');
      assert.equal((await person.readExecution(run.executionId)).status, 'CANCELLED');
    });

    it('publishes and unpublishes a workflow', async () => {
      const workflow = await agent.get('create_workflow', {
        name: `Shown ${revision} ${credential}`,
        nodes: [{ id: 'a', nodeType: 'input:text', config: { value: 'x' } }],
        edges: [],
      });
      const published = await agent.get('publish_workflow', {
        workflowId: workflow.id,
        published: true,
        title: 'Shown',
        exposedInputs: ['a'],
      });
      assert.equal(published.version, workflow.version);
      assert.equal(new URL(published.url).pathname, `/p/${published.slug}`);
      const fetchPublished = () => fetch(`${paid.service.url}/api/v1/published/${published.slug}`);
      assert.equal((await fetchPublished()).status, 200);
      await agent.get('publish_workflow', { workflowId: workflow.id, published: false });
      assert.equal((await fetchPublished()).status, 404);
    });

    it('learns the price before it spends credits', async () => {
      const personWithoutCredits = await createPerson(PRICE - 1);
      const agentWithoutCredits = await connect(personWithoutCredits);
      const workflow = await agentWithoutCredits.get('create_workflow', {
        name: 'Paid',
        nodes: [
          { id: 'm', nodeType: MODEL, config: { prompt: 'a fox' } },
          { id: 'end', nodeType: 'output:preview' },
        ],
        edges: ['m.image -> end.input'],
      });
      assert.deepEqual(workflow.estimate, { credits: PRICE, exact: true });
      const refusal = await agentWithoutCredits.call('run_workflow', { workflowId: workflow.id });
      assert.equal(refusal.isError, true);
      assert.match(refusal.text, new RegExp(`costs ${PRICE} credits`));
      const unaffordable = await agentWithoutCredits.call('run_workflow', {
        workflowId: workflow.id,
        maxCredits: PRICE,
      });
      assert.equal(unaffordable.data.code, 'insufficient_credits', unaffordable.text);
      assert.equal(unaffordable.data.availableCredits, PRICE - 1);
      const { body } = await personWithoutCredits.request<{ data: unknown[] }>('GET', '/executions');
      assert.deepEqual(body.data, [], 'nothing was started');

      const personWithCredits = await createPerson(PRICE);
      const agentWithCredits = await connect(personWithCredits);
      const affordable = await agentWithCredits.get('create_workflow', {
        name: 'Paid',
        nodes: [{ id: 'm', nodeType: MODEL, config: { prompt: 'a fox' } }],
        edges: [],
      });
      const run = await agentWithCredits.get('run_workflow', {
        workflowId: affordable.id,
        maxCredits: PRICE,
      });
      assert.equal(run.status, 'COMPLETED', JSON.stringify(run));
      assert.equal(run.credits.charged, PRICE);
      await agentWithoutCredits.close();
      await agentWithCredits.close();
    });
  });
}
