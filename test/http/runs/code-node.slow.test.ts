// Tests runs of code nodes over HTTP: the log, cached results and error positions.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { waitUntil } from '../../support/processes.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { edge, node } from '../../support/workflows.ts';

const createGraph = (code: string) => ({
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
  const id = await service.createWorkflow(createGraph(code));
  const { nodeStates } = await service.runWorkflow(id);
  return (nodeStates as readonly NodeState[]).find(({ nodeId }) => nodeId === 'c');
}

describe('a run of a code node', () => {
  const SPLIT_CODE =
    'export default ({ words }) => { console.log(words); return { items: words.split(" ") } }';

  it('has its log in the node state and its result in the cache', async () => {
    const first = await runCode(SPLIT_CODE);
    assert.deepEqual([first?.status, first?.texts, first?.log], ['COMPLETED', ['a', 'b'], 'a b\n']);
    await waitUntil('the result to be cached', async () => {
      const { rows } = await service.db.query('select from node_cache');
      return rows.length > 0;
    });
    assert.equal((await runCode(SPLIT_CODE))?.cached, true);
  });

  it('fails with the line and column of the code', async () => {
    const state = await runCode('export default ({ words }) => {\n  return words.items.a;\n}');
    assert.deepEqual(
      [state?.status, state?.error],
      ['FAILED', "TypeError: cannot read property 'a' of undefined (line 2, column 21)"],
    );
  });
});
