// Tests the examples: they pass lint, run unchanged, and together use every node that needs no provider.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { mapStates } from '../support/client.ts';
import { uploadPicture } from '../support/media/files.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { NIGHTLY_ONLY } from '../support/tier.ts';

const FOLDER = join(import.meta.dirname, '../../examples');

interface Example {
  readonly nodes: readonly {
    readonly id: string;
    readonly data: { readonly nodeType: string; readonly config?: object };
  }[];
  readonly edges: readonly unknown[];
  readonly components?: readonly unknown[];
}

const EXAMPLES = readdirSync(FOLDER)
  .filter(name => name.endsWith('.json'))
  .map(name => [name, JSON.parse(readFileSync(join(FOLDER, name), 'utf8')) as Example] as const);

/** The decisions that examples wait for. */
const DECISIONS: Readonly<Record<string, object>> = { 'triage.json': { nodeId: 'ask', approved: true } };

/** Nodes that no example uses, because they call external services or have no effect on a run. */
const UNUSED = ['utility:http_request', 'utility:group'];
const COVERED_TYPES = /^utility:(text|json|list|math|prompt)|^logic:|^input:(text|number|json|list)|^output:/;

describe('the examples', () => {
  let service: TestService;
  before(async () => {
    service = await startTestService();
  });
  after(() => service.close());

  for (const [name, example] of EXAMPLES) {
    // Other tests draw and cut videos, and run models, by day too.
    const isSlow = example.nodes.some(({ data }) => /^video:|_local$/.test(data.nodeType));
    it(`${name} passes lint and runs unchanged`, isSlow ? NIGHTLY_ONLY : {}, async () => {
      const workflowId = await store(example);
      const lint = await service.request<{ issues: unknown[] }>('POST', `/workflows/${workflowId}/lint`, {});
      assert.deepEqual(lint.body.issues, []);
      const id = await service.startRun(workflowId, { inputs: await createInputs(example) });
      const decision = DECISIONS[name];
      if (decision !== undefined) {
        await service.waitForStatus(id, 'WAITING');
        await service.request('POST', `/executions/${id}/resume`, { decision });
      }
      const execution = await service.waitForStatus(id);
      assert.equal(execution.status, 'COMPLETED', JSON.stringify(execution.error));
      assert.ok(execution.outputs.length > 0);
    });
  }

  /** Uploads a picture for each input that has none, as people do who run the example. */
  async function createInputs({ nodes }: Example): Promise<Readonly<Record<string, string>>> {
    const pictures = nodes.filter(
      ({ data }) => data.nodeType === 'input:image' && Object.keys(data.config ?? {}).length === 0,
    );
    const uploads = pictures.map(async ({ id }) => [id, (await uploadPicture(service, 64)).url] as const);
    return Object.fromEntries(await Promise.all(uploads));
  }

  /** Stores the example like `graphwright run`. */
  async function store(example: Example): Promise<string> {
    if (example.components === undefined) return service.createWorkflow(example);
    const { status, body } = await service.request<{ id: string }>('POST', '/workflows/import', example);
    assert.equal(status, 201, JSON.stringify(body));
    return body.id;
  }

  it('produce the result that docs/components.md shows', async () => {
    const page = readFileSync(join(FOLDER, '../docs/components.md'), 'utf8');
    const [slogan = '', caller = ''] = [...page.matchAll(/```json\n([\s\S]*?)```/g)].map(([, json]) => json);
    const componentId = await service.createWorkflow(JSON.parse(slogan));
    const callerId = await service.createWorkflow(JSON.parse(caller.replaceAll('wf_…', componentId)));
    const execution = await service.runWorkflow(callerId);
    const greetings = execution.outputs.filter(({ nodeId }) => nodeId === 'both').map(({ text }) => text);
    assert.deepEqual(greetings, ['Greetings from Porto', 'Greetings from Faro']);
  });

  it('produce the expected letter in order-note.json', async () => {
    const [, example] = EXAMPLES.find(([name]) => name === 'order-note.json') ?? assert.fail();
    const execution = await service.runWorkflow(await service.createWorkflow(example));
    assert.deepEqual(mapStates(execution).shown?.value, {
      letter: 'Dear Ada, your tea is on its way; 36 EUR are due.\n\nYours, the tea room',
      due: 36,
      others: ['scones', 'marmalade'],
    });
  });

  it('use every text, data and logic node', async () => {
    const usedTypes = new Set(EXAMPLES.flatMap(([, { nodes }]) => nodes.map(({ data }) => data.nodeType)));
    const { body } = await service.request<{ nodes: { nodeType: string }[] }>('GET', '/nodes');
    const unusedTypes = body.nodes
      .map(({ nodeType }) => nodeType)
      .filter(type => COVERED_TYPES.test(type) && !usedTypes.has(type) && !UNUSED.includes(type));
    assert.deepEqual(unusedTypes, []);
  });
});
