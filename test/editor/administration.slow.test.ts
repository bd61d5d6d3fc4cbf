// Tests the pages of administrators and of provider keys: adding a key, runs by error, teams, backup.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { signUpUser } from '../support/accounts/first-user.ts';
import { type Receiver, startReceiver } from '../support/network/receiver.ts';
import { node } from '../support/workflows.ts';
import { setUpSignedInPages } from './dom/signed-in-pages.ts';

const KEY = 'sk-pasted-key-1234';

describe('the administration pages', () => {
  const editor = setUpSignedInPages();
  let server: Receiver;
  let teamId: string;

  before(async () => {
    server = await startReceiver();
    server.answer(res => res.writeHead(200).end(JSON.stringify({ data: [{ id: 'llama3.2' }] })));
    teamId = (await editor.service.request<{ id: string }>('POST', '/teams', { name: 'Studio North' })).body
      .id;
    const failingNode = node('h', 'utility:json_extract', { json: 'no json', paths: { a: 'b' } });
    await editor.service.runWorkflow(
      await editor.service.createWorkflow({ name: 'Broken table', nodes: [failingNode], edges: [] }),
    );
    const text = node('a', 'input:text', { value: 'Hello' });
    await editor.service.runWorkflow(
      await editor.service.createWorkflow({ name: 'Greeting', nodes: [text], edges: [] }),
    );
  });
  after(() => server?.close());

  it('report a missing provider on the workflows page, the models page and a node', async () => {
    await using testPage = await editor.open('/workflows');
    const { page } = testPage;
    const banner = page.getByRole('region', { name: 'No model provider is set up' });
    await banner.waitFor();
    await page.goto('/settings/models');
    await page.getByRole('heading', { name: 'No provider is set up' }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Add model' }).count(), 0);
    const id = await editor.service.createWorkflow({
      nodes: [node('m', 'generate:fal_seedream', { prompt: 'a fox' })],
      edges: [],
    });
    await page.goto(`/flow/${id}`);
    const missingKeys = page.getByRole('region', { name: 'Missing provider keys' });
    await missingKeys.getByText('m needs a key for fal.').waitFor();
    await page.locator('[data-node-id="m"]').getByRole('link', { name: 'Add a key for fal' }).waitFor();
    await missingKeys.getByRole('link', { name: 'Add a key for fal' }).click();
    await page.getByRole('dialog', { name: 'Add a key for fal' }).getByLabel('API key').waitFor();
    assert.deepEqual(testPage.errors, []);
  });

  it('link the owner of a workspace to the provider keys of this workspace', async () => {
    const ownAccount = await signUpUser(editor.service, { email: 'eve@example.com', name: 'Eve' });
    await using testPage = await editor.browser.open(editor.service.url, undefined, ownAccount);
    const { page } = testPage;
    await page.goto('/workflows');
    const banner = page.getByRole('region', { name: 'No model provider is set up' });
    // Eve has no workflow yet, so that the card of first steps is open too.
    await page.getByRole('complementary', { name: 'First steps' }).waitFor();
    await banner.getByRole('link', { name: 'Add a provider key' }).click();
    await page.waitForURL('**/settings/provider-keys');
    await page.getByText('Keys of Eve.').waitFor();
    assert.deepEqual(testPage.errors, []);
  });

  it('list models without a key in the palette with a link to add the key', async () => {
    await using testPage = await editor.open(
      `/flow/${await editor.service.createWorkflow({ nodes: [node('a', 'input:text')], edges: [] })}`,
    );
    const { page } = testPage;
    await page.getByRole('toolbar', { name: 'Workflow' }).getByRole('button', { name: 'Add node' }).click();
    const palette = page.getByRole('dialog', { name: 'Add node' });
    const search = palette.getByRole('combobox');
    await search.fill('text');
    const link = palette.getByRole('link', { name: 'Add a key for fal' });
    assert.equal(await link.count(), 0);
    await search.fill('seedream');
    await palette
      .getByRole('option', { name: /Seedream.* credits · Needs a key/ })
      .first()
      .waitFor();
    await palette.getByText(/Seedream.* needs a key for fal\./).waitFor();
    await link.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Add a key for fal' }).getByLabel('API key').waitFor();
    assert.deepEqual(testPage.errors, []);
  });

  it('test and store a pasted provider key without showing it again', async () => {
    const chat = node('c', 'text:openai_chat', { prompt: 'Say hello', model: 'llama3.2' });
    await using testPage = await editor.open(
      `/flow/${await editor.service.createWorkflow({ nodes: [chat], edges: [] })}`,
    );
    const { page } = testPage;
    const missingKeys = page.getByRole('region', { name: 'Missing provider keys' });
    await missingKeys.getByRole('link', { name: 'Add a key for OpenAI' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add a key for OpenAI' });
    await page.getByRole('heading', { level: 1 }).waitFor();
    await dialog.getByLabel('API key').fill(KEY);
    await dialog.getByText('Use a compatible server').click();
    await dialog.getByLabel('Server address').fill(`${server.url}/v1`);
    await dialog.getByRole('button', { name: 'Test and save' }).click();
    await page.getByText('OpenAI is ready. Its models can run now.').waitFor();
    await page.getByText(`Key ending in ${KEY.slice(-4)}`).waitFor();
    assert.ok(!(await page.content()).includes(KEY));
    await page.goBack();
    await page.locator('[data-node-id="c"]').waitFor();
    assert.equal(await missingKeys.count(), 0);
    await page.goto('/settings/providers');
    const card = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'OpenAI' }) });
    await card.getByText('Ready', { exact: true }).waitFor();
    await card.getByRole('button', { name: 'Actions for OpenAI' }).click();
    await page.getByRole('menuitem', { name: 'Remove' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('OpenAI was removed.').waitFor();
    assert.deepEqual(testPage.errors, []);
  });

  it('show a replaced provider key as "Ready" after testing it', async () => {
    const baseUrl = `${server.url}/v1`;
    const values = { apiKey: 'sk-first-key-1234', baseUrl };
    const key = { kind: 'openai', owner: 'instance', name: 'Replaceable', values };
    const { id } = (await editor.service.request<{ id: string }>('POST', '/credentials', key)).body;
    await using testPage = await editor.open('/settings/providers');
    const { page } = testPage;
    await page.getByRole('button', { name: 'Actions for Replaceable' }).click();
    await page.getByRole('menuitem', { name: 'Replace key' }).click();
    const dialog = page.getByRole('dialog', { name: 'Replace Replaceable' });
    await dialog.getByLabel('API key').fill('sk-second-key-5678');
    await dialog.getByLabel('Server address').fill(baseUrl);
    await dialog.getByRole('button', { name: 'Test and save' }).click();
    await page.getByText('Replaceable was replaced.').waitFor();
    const card = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'OpenAI' }) });
    await card.getByText('Key ending in 5678').waitFor();
    await card.getByText('Ready', { exact: true }).waitFor();
    await editor.service.request('DELETE', `/credentials/${id}`);
    assert.deepEqual(testPage.errors, []);
  });

  it('link a group of failures to its runs', async () => {
    await using testPage = await editor.open('/settings/overview');
    const { page } = testPage;
    const failures = page.getByRole('region', { name: 'Failures of the last 24 hours' }).getByRole('table');
    await failures.getByRole('link', { name: 'invalid_json' }).click();
    await page.waitForURL('**/executions?**errorCode=invalid_json**');
    const runs = page.getByRole('region', { name: 'Runs' }).getByRole('table');
    await runs.getByRole('link', { name: 'Broken table' }).waitFor();
    assert.equal(await runs.getByText('Greeting').count(), 0);
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await runs.getByText('Greeting').waitFor();
    await page.getByLabel('Status').selectOption('Failed');
    await runs.getByText('Greeting').waitFor({ state: 'detached' });
    await page.getByLabel('Show').selectOption('My runs');
    await runs.getByRole('columnheader', { name: 'Nodes' }).waitFor();
    assert.deepEqual(testPage.errors, []);
  });

  it('open a run of another user for an administrator', async () => {
    const dan = await editor.service.createUser({ email: 'dan@example.com', name: 'Dan' });
    const text = node('a', 'input:text', { value: "Dan's words" });
    await dan.runWorkflow(await dan.createWorkflow({ name: 'Words of Dan', nodes: [text], edges: [] }));
    await using testPage = await editor.open('/executions?of=instance&personal=true');
    const { page } = testPage;
    await page.getByRole('table').getByRole('link', { name: 'Words of Dan' }).click();
    await page.getByText('You are viewing this run as an administrator.').waitFor();
    await page.getByText("Dan's words").first().waitFor();
    assert.equal(await page.getByRole('button', { name: /Resume|Cancel/ }).count(), 0);
    assert.deepEqual(testPage.errors, []);
  });

  it('give roles to groups, and create the SCIM token', async () => {
    await using testPage = await editor.open('/settings/groups');
    const { page } = testPage;
    await page.getByText('No groups yet').waitFor();
    await page.getByRole('button', { name: 'Add group' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Team').waitFor();
    await dialog.getByLabel('Group').fill(' designers ');
    await dialog.getByLabel('Team').selectOption('Studio North');
    await dialog.getByLabel('Role').selectOption('Viewer');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved the role of designers.').waitFor();
    await page.getByRole('button', { name: 'Actions for designers' }).click();
    await page.getByRole('menuitem', { name: 'Change role' }).click();
    await dialog.getByLabel('Role').selectOption('Editor');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('cell', { name: 'Editor' }).waitFor();
    const stored = await editor.service.request('GET', '/admin/groups');
    const mapping = { group: 'designers', teamId, teamName: 'Studio North', role: 'EDITOR' };
    assert.deepEqual(stored.body, [mapping]);
    await page.getByRole('button', { name: 'Actions for designers' }).click();
    await page.getByRole('menuitem', { name: 'Remove' }).click();
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await page.getByText('No groups yet').waitFor();

    await page.getByRole('button', { name: 'Create SCIM token' }).click();
    const token = await dialog.getByLabel('SCIM token').inputValue();
    assert.match(token, /^scim-/);
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByText('/scim/v2').waitFor();
    await page.getByRole('button', { name: 'Replace token' }).click();
    await dialog.getByRole('button', { name: 'Replace token' }).click();
    await page.getByRole('dialog', { name: 'Your SCIM token' }).waitFor();
    assert.notEqual(await dialog.getByLabel('SCIM token').inputValue(), token);
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Revoke' }).click();
    await dialog.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('button', { name: 'Create SCIM token' }).waitFor();
    assert.equal((await editor.service.request('GET', '/admin/scim-token')).body.createdAt, null);
    assert.deepEqual(testPage.errors, []);
  });

  it('fund a team and set its budgets', async () => {
    await using testPage = await editor.open('/settings/all-teams');
    const { page } = testPage;
    await page.getByText('New users get the plan Free and').waitFor();
    await page.getByRole('button', { name: 'Actions for Studio North' }).click();
    await page.getByRole('menuitem', { name: 'Add credits' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Credits').fill('120');
    await dialog.getByLabel('Note').fill('for a start');
    await dialog.getByRole('button', { name: 'Add credits' }).click();
    await page.getByText('Studio North now has 120 credits.').waitFor();
    const id = await editor.service.createWorkflow({
      name: 'Ads',
      nodes: [node('a', 'input:text', { value: 'x' })],
      edges: [],
    });
    const folder = await editor.service.request<{ id: string }>('POST', '/folders', { name: 'F', teamId });
    await editor.service.request('PUT', `/workflows/${id}`, { folderId: folder.body.id });
    await page.getByRole('button', { name: 'Actions for Studio North' }).click();
    await page.getByRole('menuitem', { name: 'Set budgets' }).click();
    await dialog.getByLabel('Daily budget for Ads').fill('30');
    await dialog.getByRole('listitem').getByRole('button', { name: 'Save' }).click();
    await page.getByText('The budget for Ads was saved.').waitFor();
    await dialog.getByLabel('Daily budget for all runs of the team').fill('90');
    await dialog.getByRole('button', { name: 'Save' }).first().click();
    await page.getByText('The budget for Studio North was saved.').waitFor();
    const { body: teams } = await editor.service.request<{ data: { dailyCreditBudget: number }[] }>(
      'GET',
      '/admin/teams',
    );
    assert.equal(teams.data[0]?.dailyCreditBudget, 90);
    assert.deepEqual(testPage.errors, []);
  });
});
