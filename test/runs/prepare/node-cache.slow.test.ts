// Tests that workspaces do not share the node cache and therefore never see each other's files.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Client, mapStates, type NodeState } from '../../support/client.ts';
import { waitUntil } from '../../support/processes.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { edge, node } from '../../support/workflows.ts';

const GRAPH = {
  nodes: [
    node('a', 'input:text', { value: 'a lake' }),
    node('p', 'generate:sandbox', { width: 64, height: 64, seed: 7 }),
  ],
  edges: [edge('a.text > p.prompt')],
};

describe('the node cache', () => {
  let service: TestService;
  before(async () => {
    service = await startTestService();
  });
  after(() => service.close());

  const draw = async (client: Client, workflow: string): Promise<NodeState | undefined> =>
    mapStates(await client.runWorkflow(workflow)).p;

  it('returns only results of the same workspace', async () => {
    const team = await service.request<{ id: string }>('POST', '/teams', { name: 'Team' });
    const folder = await service.request<{ id: string }>('POST', '/folders', {
      name: 'Folder',
      teamId: team.body.id,
    });
    const inTeam = await service.createWorkflow(GRAPH);
    await service.request('PUT', `/workflows/${inTeam}`, { folderId: folder.body.id });
    const ownWorkflow = await service.createWorkflow(GRAPH);
    const otherUser = await service.createUser();
    const foreign = await otherUser.createWorkflow(GRAPH);
    const cases = [
      [service, ownWorkflow],
      [service, inTeam],
      [otherUser, foreign],
    ] as const;
    const firstStates: (NodeState | undefined)[] = [];
    for (const [client, workflow] of cases) firstStates.push(await draw(client, workflow));
    assert.deepEqual(
      firstStates.map(state => state?.cached),
      [false, false, false],
    );
    assert.equal(new Set(firstStates.map(state => state?.outputUrl)).size, 3);
    // A result is stored while its run continues.
    await waitUntil(
      'the results to be stored',
      async () => (await service.db.query('select from node_cache')).rowCount === cases.length,
    );
    for (const [index, [client, workflow]] of cases.entries()) {
      const state = await draw(client, workflow);
      assert.deepEqual([state?.cached, state?.outputUrl], [true, firstStates[index]?.outputUrl]);
    }
  });
});
