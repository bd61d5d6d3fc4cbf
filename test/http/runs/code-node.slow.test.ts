// Runs a code node through the API: its log is part of the node's state for owners only, and its result is cached.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startTestService, type TestService } from '../../support/service.ts';
import { edge, node } from '../../support/workflows.ts';

const graph = (code: string) => ({
  nodes: [
    node('t', 'input:text', { value: 'a b' }),
    node('c', 'utility:code', {
      code,
      inputs: [{ id: 'words', type: 'TEXT' }],
      outputs: [{ id: 'items', type: 'LIST' }],
    }),
    node('p', 'output:preview'),
  ],
  edges: [edge('t.text > c.words'), edge('c.items > p.input')],
});

interface NodeState {
  readonly nodeId: string;
  readonly status: string;
  readonly error: string | null;
  readonly cached: boolean;
  readonly log?: string;
  readonly texts?: readonly string[];
}

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.close());

async function runCode(code: string): Promise<NodeState | undefined> {
  const id = await service.createWorkflow(graph(code));
  const { nodeStates } = await service.runWorkflow(id);
  return (nodeStates as readonly NodeState[]).find(({ nodeId }) => nodeId === 'c');
}

describe('a code node', () => {
  const split = 'export default ({ words }) => { console.log(words); return { items: words.split(" ") } }';

  it('returns a list, shows its log, and takes its next result from the cache', async () => {
    const first = await runCode(split);
    assert.deepEqual([first?.status, first?.texts, first?.log], ['COMPLETED', ['a', 'b'], 'a b\n']);
    assert.equal((await runCode(split))?.cached, true);
  });

  it('fails with the place in the code', async () => {
    const failed = await runCode('export default ({ words }) => {\n  return words.items.a;\n}');
    assert.deepEqual(
      [failed?.status, failed?.error],
      ['FAILED', "TypeError: cannot read property 'a' of undefined (line 2, column 21)"],
    );
  });
});
