// Tests SVGs in runs: nodes that need pixels receive a rasterized image, and an invalid SVG costs nothing.
import assert from 'node:assert/strict';
import { beforeEach, it } from 'node:test';
import { type Client, mapStates } from '../support/client.ts';
import { PRICE, readBalance, runPaid, setUpPaidService } from '../support/credits/paid.ts';
import { edge, node } from '../support/workflows.ts';

const paid = setUpPaidService();
let user: Client;
beforeEach(async () => {
  user = await paid.newUser(10);
});

async function upload(attributes: string): Promise<string> {
  const text = `<svg xmlns="http://www.w3.org/2000/svg" ${attributes}><rect width="9" height="9"/></svg>`;
  const dataUrl = `data:image/svg+xml,${encodeURIComponent(text)}`;
  const { status, body } = await user.request<{ mediaId: string }>('POST', '/media/upload', { dataUrl });
  assert.equal(status, 200);
  return body.mediaId;
}

const graph = (mediaId: string, nodeType: string, config: Record<string, unknown>) => ({
  nodes: [node('in', 'input:image', { mediaId }), node('m', nodeType, config), node('end', 'output:preview')],
  edges: [edge('in.image > m.image'), edge('m.image > end.input')],
});
const PAID_NODE = ['edit:fal_seedream', { prompt: 'a fox' }] as const;

it('sends a PNG of an SVG to a paid model', async () => {
  const { status, credits, error } = await runPaid(
    user,
    graph(await upload('width="9" height="9"'), ...PAID_NODE),
  );
  assert.equal(status, 'COMPLETED', JSON.stringify(error));
  assert.equal(credits.charged, PRICE);
  const [submitted] = paid.fal.requests.filter(({ json }) => Array.isArray(json?.image_urls));
  assert.match(String(submitted?.json.image_urls), /^data:image\/png;base64,/);
});

const UNDRAWABLE = 'width="0" height="0"';

async function assertRunRefused(workflowId: string, body: object, nodeIds: readonly string[]): Promise<void> {
  const [before, acceptedBefore] = [await readBalance(user), paid.fal.accepted.length];
  const response = await user.request<{ code: string; issues: { nodeId: string }[] }>(
    'POST',
    `/workflows/${workflowId}/run`,
    body,
  );
  assert.deepEqual(
    [response.status, response.body.code],
    [400, 'svg_not_drawable'],
    JSON.stringify(response.body),
  );
  assert.deepEqual(
    response.body.issues.map(({ nodeId }) => nodeId),
    nodeIds,
  );
  const { body: list } = await user.request<{ data: unknown[] }>(
    'GET',
    `/workflows/${workflowId}/executions`,
  );
  assert.deepEqual(list.data, []);
  assert.equal(paid.fal.accepted.length, acceptedBefore);
  assert.deepEqual(await readBalance(user), before);
}

it('rejects the run of a paid model with an invalid SVG', async () => {
  const invalidId = await upload(UNDRAWABLE);
  await assertRunRefused(await user.createWorkflow(graph(invalidId, ...PAID_NODE)), {}, ['m']);
  const workflowId = await user.createWorkflow(graph(await upload('width="9" height="9"'), ...PAID_NODE));
  await assertRunRefused(workflowId, { inputs: { in: { mediaId: invalidId } } }, ['m']);
});

it('rejects a run with an invalid SVG in a list behind a Merge', async () => {
  const [validId, invalidId] = [await upload('width="8" height="9"'), await upload(UNDRAWABLE)];
  const id = await user.createWorkflow({
    nodes: [
      node('in', 'input:list', { itemType: 'IMAGE', items: [{ mediaId: validId }, { mediaId: invalidId }] }),
      node('merge', 'logic:merge'),
      node('m', ...PAID_NODE),
    ],
    edges: [edge('in.list > merge.input1'), edge('merge.output > m.image')],
  });
  await assertRunRefused(id, {}, ['m']);
});

it('fails the node without a provider call if only the run discovers an invalid SVG', async () => {
  const invalidId = await upload(UNDRAWABLE);
  const acceptedBefore = paid.fal.accepted.length;
  const before = await readBalance(user);
  const execution = await runPaid(user, {
    nodes: [
      node('in', 'input:image', { mediaId: invalidId }),
      node('wait', 'logic:delay', { ms: 1 }),
      node('m', ...PAID_NODE),
    ],
    edges: [edge('in.image > wait.input'), edge('wait.output > m.image')],
  });
  assert.equal(execution.status, 'FAILED');
  assert.match(String(mapStates(execution).m?.error), /SVG cannot be drawn/);
  assert.deepEqual([execution.credits.held, execution.credits.charged], [0, 0]);
  assert.equal(paid.fal.accepted.length, acceptedBefore);
  assert.deepEqual(await readBalance(user), before);
});

it('rasterizes a valid SVG for nodes that edit images', async () => {
  const resize = ['utility:image_resize', { width: 64 }] as const;
  const resized = await runPaid(user, graph(await upload('width="20" height="10"'), ...resize));
  assert.equal(resized.status, 'COMPLETED', JSON.stringify(resized.error));
  const failedRun = await runPaid(user, graph(await upload('width="0" height="0"'), ...resize));
  assert.equal(failedRun.status, 'FAILED');
  assert.match(String(mapStates(failedRun).m?.error), /SVG cannot be drawn/);
});
