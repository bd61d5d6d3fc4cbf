// Tests a service whose nodes for models on this machine are turned off.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ApiUser, createTestApp, type TestApp } from '../../support/app.ts';
import { createWorkflow, edge, node, type Refusal } from '../../support/workflows.ts';

const GRAPH = {
  nodes: [
    node('text', 'input:text', { value: 'Hello' }),
    node('language', 'utility:language'),
    node('end', 'output:preview'),
  ],
  edges: [edge('text.text > language.text'), edge('language.language > end.input')],
};

interface Entry {
  readonly nodeType: string;
  readonly isAvailable?: false;
  readonly runsLocally?: true;
  readonly license?: string;
  readonly executionCost: string;
}

interface Issues {
  readonly issues: readonly { readonly nodeId?: string; readonly code: string }[];
}

describe('LOCAL_NODES=off', () => {
  let test: TestApp;
  let user: ApiUser;
  before(async () => {
    test = await createTestApp({ env: { LOCAL_NODES: 'off' } });
    user = await test.createUser();
  });
  after(() => test?.close());

  it('hides the nodes', async () => {
    const list = async (query: string): Promise<Entry | undefined> => {
      const { body } = await user.request<{ readonly nodes: readonly Entry[] }>('GET', `/nodes${query}`);
      return body.nodes.find(({ nodeType }) => nodeType === 'utility:language');
    };
    assert.equal(await list(''), undefined);
    const entry = await list('?includeHidden=1');
    assert.deepEqual(
      [entry?.isAvailable, entry?.runsLocally, entry?.license, entry?.executionCost],
      [false, true, 'Apache-2.0', 'free'],
    );
  });

  it('refuses runs that have one, and says so before', async () => {
    const { id } = await createWorkflow(user, { ...GRAPH });
    const run = await user.request<Refusal>('POST', `/workflows/${id}/run`, {});
    assert.deepEqual([run.status, run.body.code], [400, 'local_nodes_off']);
    assert.match(run.body.error, /turned off\. Ask the operator to set LOCAL_NODES=on/);
    const estimate = await user.request<Issues>('POST', `/workflows/${id}/estimate`, {});
    assert.deepEqual(
      estimate.body.issues.map(({ nodeId, code }) => [nodeId, code]),
      [['language', 'local_nodes_off']],
    );
    const lint = await user.request<Issues>('POST', `/workflows/${id}/lint`, {});
    assert.ok(
      lint.body.issues.some(({ code, nodeId }) => code === 'local_nodes_off' && nodeId === 'language'),
    );
  });
});
