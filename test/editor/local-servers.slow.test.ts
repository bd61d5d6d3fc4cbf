// Tests how an administrator finds servers on this machine, adds one, and chooses it in a node.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { waitUntil } from '../support/processes.ts';
import type { Double } from '../support/providers/double.ts';
import { startServer } from '../support/providers/servers.ts';
import { node } from '../support/workflows.ts';
import { setUpSignedInPages } from './dom/signed-in-pages.ts';

describe('servers on this machine', () => {
  const editor = setUpSignedInPages();
  let ollama: Double;
  before(async () => {
    ollama = await startServer('ollama');
  });
  after(() => ollama?.close());

  it('are found on request, added, and offered by nodes', async () => {
    await using testPage = await editor.open('/settings/providers');
    const { page } = testPage;
    const baseUrl = `${ollama.url}/v1`;
    const found = {
      kind: 'openai',
      baseUrl,
      name: 'ollama',
      serves: ['chat'],
      models: ['llama3.2'],
      isAdded: false,
    };
    let searches = 0;
    // The usual ports of this machine may have other servers.
    await page.route('**/api/v1/credentials/discover', async route => {
      searches++;
      const response = await route.fetch();
      await route.fulfill({ response, json: { data: [found] } });
    });
    const section = page.getByRole('region', { name: 'Servers on this machine' });
    await section.waitFor();
    assert.equal(searches, 0);
    await section.getByRole('button', { name: 'Find local servers' }).click();
    await section.getByText('llama3.2').waitFor();
    await section.getByRole('button', { name: 'Add ollama' }).click();
    await section.getByText('Added').waitFor();
    await page.getByText('Server ollama').waitFor();
    const { body } = await editor.service.request<{
      data: { server: string | null; serves: string[]; status: string }[];
    }>('GET', '/credentials?owner=instance');
    assert.deepEqual(
      body.data.map(({ server, serves, status }) => [server, serves, status]),
      [['ollama', ['chat', 'images', 'embeddings'], 'ok']],
    );
    const id = await editor.service.createWorkflow({
      nodes: [node('c', 'text:openai_chat', { prompt: 'Hi' })],
      edges: [],
    });
    await page.goto(`/flow/${id}`);
    await page.locator('[data-node-id="c"]').click();
    const inspector = page.getByRole('complementary', { name: 'Inspector' });
    await inspector.getByLabel('Server', { exact: true }).selectOption('ollama');
    await waitUntil('the saved server', async () => {
      const stored = await editor.service.request<{ nodes: { data: { config: { server?: string } } }[] }>(
        'GET',
        `/workflows/${id}`,
      );
      return stored.body.nodes[0]?.data.config.server === 'ollama';
    });
    assert.deepEqual(testPage.errors, []);
  });
});
