// Tests that workspaces do not share the node cache: each executes the graph itself and never sees files of the other.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Client, mapStates, type NodeState } from '../support/client.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { edge, node } from '../support/workflows.ts';

const DRAWING = {
  nodes: [
    node('a', 'input:text', { value: 'a lake' }),
    node('p', 'generate:sandbox', { width: 64, height: 64, seed: 7 }),
  ],
  edges: [edge('a.text > p.prompt')],
};

describe('the same graph in two workspaces', () => {
  let service: TestService;
  before(async () => {
    service = await startTestService();
  });
  after(() => service.close());

  const draw = async (by: Client, workflow: string): Promise<NodeState | undefined> =>
    mapStates(await by.runWorkflow(workflow)).p;
  const otherUser = (): Promise<Client> => service.createUser();

  it("runs in each, and is then found in the workspace's own cache", async () => {
    const team = await service.request<{ id: string }>('POST', '/teams', { name: 'Team' });
    const folder = await service.request<{ id: string }>('POST', '/folders', {
      name: 'Folder',
      teamId: team.body.id,
    });
    const inTeam = await service.createWorkflow(DRAWING);
    await service.request('PUT', `/workflows/${inTeam}`, { folderId: folder.body.id });
    const own = await service.createWorkflow(DRAWING);
    const other = await otherUser();
    const foreign = await other.createWorkflow(DRAWING);
    const places = [
      [service, own],
      [service, inTeam],
      [other, foreign],
    ] as const;
    const drawn: (NodeState | undefined)[] = [];
    for (const [by, workflow] of places) drawn.push(await draw(by, workflow));
    assert.deepEqual(
      drawn.map(state => state?.cached),
      [false, false, false],
    );
    assert.equal(new Set(drawn.map(state => state?.outputUrl)).size, 3);
    for (const [index, [by, workflow]] of places.entries()) {
      const again = await draw(by, workflow);
      assert.deepEqual([again?.cached, again?.outputUrl], [true, drawn[index]?.outputUrl]);
    }
  });
});
