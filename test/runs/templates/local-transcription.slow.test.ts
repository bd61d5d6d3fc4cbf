// Tests that copies of templates write down speech with a server that is set up.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Double } from '../../support/providers/double.ts';
import { startServer } from '../../support/providers/servers.ts';
import { startTestService, type TestService } from '../../support/service.ts';

interface Workflow {
  readonly id: string;
  readonly nodes: readonly {
    readonly id: string;
    readonly data: { readonly nodeType: string; readonly config?: { readonly server?: string } };
  }[];
}

describe('a template that writes down speech', () => {
  let whisper: Double;
  let service: TestService;
  let plain: TestService;
  before(async () => {
    whisper = await startServer('whisperServer');
    service = await startTestService({
      OPENAI_SERVERS: `chat=${whisper.url}/v1,my-whisper=${whisper.url}/v1`,
    });
    plain = await startTestService();
  });
  after(async () => {
    await service.close();
    await plain.close();
    await whisper.close();
  });

  const copy = async (from: TestService, slug: string): Promise<Workflow> => {
    const { status, body } = await from.request<{ id: string }>(
      'POST',
      `/templates/tpl_${slug}/duplicate`,
      {},
    );
    assert.equal(status, 201, JSON.stringify(body));
    return (await from.request<Workflow>('GET', `/workflows/${body.id}`)).body;
  };
  const findListener = ({ nodes }: Workflow) => nodes.find(({ id }) => id === 'listen')?.data;
  const readRunsNow = async (from: TestService, slug: string): Promise<boolean> =>
    (await from.request<{ runsNow: boolean }>('GET', `/templates/tpl_${slug}`)).body.runsNow;

  for (const slug of ['captions', 'localize-a-video'])
    it(`uses the server in its copies (${slug})`, async () => {
      const workflow = await copy(service, slug);
      const { nodeType, config } = findListener(workflow) ?? {};
      assert.deepEqual([nodeType, config], ['audio:openai_transcription', { server: 'my-whisper' }]);
      const { body } = await service.request<{ issues: { code: string; message: string }[] }>(
        'POST',
        '/workflows/lint',
        workflow,
      );
      // The other models of this template have no key here.
      const issues = body.issues.filter(({ code }) => code !== 'provider_not_configured');
      assert.deepEqual(issues, []);
      assert.equal(findListener(await copy(plain, slug))?.nodeType, 'text:fal_whisper');
    });

  it('runs now if it needs nothing else', async () => {
    assert.equal(await readRunsNow(service, 'captions'), true);
    assert.equal(await readRunsNow(service, 'localize-a-video'), false);
    assert.equal(await readRunsNow(plain, 'captions'), false);
  });

  it('takes the words from the server', async () => {
    const { id } = await copy(service, 'captions');
    const execution = await service.runWorkflow(id, { targets: ['listen-times'] });
    assert.equal(execution.status, 'COMPLETED', JSON.stringify(execution.error));
    const times = execution.nodeStates.find(({ nodeId }) => nodeId === 'listen-times');
    assert.match(JSON.stringify(times), /Guten/);
  });
});
