// What an agent is for, without a model: each task done over the protocol alone, and looked at on the service afterwards.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { type Agent, connectAgent, REVISIONS, type ToolResult } from '../support/agent.ts';
import { KEY, startTestService, type TestService } from '../support/service.ts';

const MAX_CALLS = 7;
const MAX_TOKENS = 4000;

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.close());

/** What a model reads of a result where its client hands on both halves; pictures are counted otherwise. */
function tokensOf({ content, facts }: ToolResult): number {
  const read = content.filter(({ type }) => type !== 'image');
  return encode(JSON.stringify({ content: read, structuredContent: facts })).length;
}

for (const revision of REVISIONS) {
  describe(`an agent of ${revision} with a key`, () => {
    let agent: Agent;
    before(async () => {
      agent = await connectAgent(`${service.url}/mcp`, KEY, revision);
    });
    after(() => agent.close());

    it('makes an image card from nothing in few calls and few tokens', async t => {
      const own = await connectAgent(`${service.url}/mcp`, KEY, revision);
      const found = await own.get('find_nodes', {
        query: 'text image card',
        produces: 'IMAGE',
        freeOnly: true,
      });
      const card = found.nodes.find((node: { about: string }) => /card|text/i.test(node.about)).nodeType;
      const read = await own.get('find_nodes', { nodeTypes: [card, 'input:text', 'output:preview'] });
      const [entry, input, output] = read.nodes;
      const port = (line: string): string => line.split(' ')[0] ?? '';
      const title = port(entry.in.find((line: string) => / TEXT/.test(line)));
      const made = await own.get('create_workflow', {
        name: 'Card',
        nodes: [
          { ...input.example, id: 'words' },
          { ...entry.example, id: 'card' },
          { ...output.example, id: 'result' },
        ],
        edges: [
          `words.${port(input.out[0])} -> card.${title}`,
          `card.${port(entry.out[0])} -> result.${port(output.in[0])}`,
        ],
      });
      assert.deepEqual(made.estimate, { credits: 0, exact: true });
      const run = await own.call('run_workflow', { workflowId: made.id, inputs: { words: 'Good morning' } });
      assert.equal(run.facts.status, 'COMPLETED', run.text);

      assert.ok(own.calls.length <= MAX_CALLS, `${own.calls.length} calls`);
      const tokens = own.calls.reduce((sum, call) => sum + tokensOf(call), 0);
      assert.ok(tokens <= MAX_TOKENS, `${tokens} tokens`);
      const link = run.content.find(({ type }) => type === 'resource_link');
      assert.match(String(link?.mimeType), /^image\//);
      const preview = run.content.find(({ type }) => type === 'image');
      assert.equal(preview?.mimeType, 'image/jpeg');
      const record = (await service.request('GET', `/executions/${run.facts.executionId}`)).body;
      assert.equal(record.trigger, 'mcp');
      assert.equal(record.status, 'COMPLETED');
      t.diagnostic(`${own.calls.length} calls, ${tokens} tokens`);
      await own.close();
    });
  });
}
