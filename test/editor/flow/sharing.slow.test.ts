// Tests the templates of an empty board, and sharing and publishing a workflow.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { signUpUser } from '../../support/accounts/first-user.ts';
import { waitUntil } from '../../support/processes.ts';
import { setUpFlowPages } from './flow-dom.ts';
import { nodeOf, PICTURE } from './flow-page.ts';

const NOTE = {
  nodes: [
    {
      id: 'note',
      type: 'stickyNote',
      position: { x: 0, y: -500 },
      data: { label: 'Note', category: 'utility', nodeType: 'utility:sticky_note', config: { text: 'Hi' } },
    },
  ],
  edges: [],
};

describe('templates, sharing and publishing on the board', () => {
  const flow = setUpFlowPages();

  it('offer templates and a search on an empty board', async () => {
    const template = await flow.create(PICTURE);
    const settings = { title: 'A boat in a frame', isTemplate: true };
    await flow.send('POST', `/workflows/${template}/publish`, { isPublished: true, settings });
    const id = await flow.create(NOTE);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    const starters = page.getByRole('list', { name: 'Templates' });
    await starters.getByText('A boat in a frame').waitFor();
    await page.getByRole('searchbox', { name: 'Search nodes' }).press('t');
    const palette = page.getByRole('dialog', { name: 'Add node' });
    assert.equal(await palette.getByRole('combobox').inputValue(), 't');
    await page.keyboard.press('Escape');
    await starters.getByRole('button', { name: /A boat in a frame/ }).click();
    await nodeOf(page, 'Picture').waitFor();
    await page.getByRole('complementary', { name: 'Inspector' }).waitFor({ state: 'detached' });
    await nodeOf(page, 'Picture').click({ position: { x: 90, y: 20 } });
    await page.getByRole('button', { name: 'Add to favorites' }).click();
    await page.getByRole('button', { name: 'Close inspector' }).click();
    await page.getByRole('button', { name: 'Add node', exact: true }).click();
    await palette.getByText('Favorites').waitFor();
    assert.match((await palette.getByRole('option').first().textContent()) ?? '', /^Sandbox image/);
    assert.deepEqual(testPage.errors, []);
  });

  it('publish under an address and a title with the chosen inputs', async () => {
    const id = await flow.create(PICTURE);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Share' });
    await dialog.getByRole('tab', { name: 'Publish' }).click();
    await dialog.getByLabel('URL').fill('boats-of-mine');
    await dialog.getByLabel('Title').fill('My boats');
    await dialog.getByLabel('Idea', { exact: true }).uncheck();
    await dialog.getByRole('button', { name: 'Publish', exact: true }).click();
    const link = dialog.getByRole('link', { name: /\/p\/boats-of-mine$/ });
    assert.equal(await link.getAttribute('href'), '/p/boats-of-mine');
    const storedWorkflow = await flow.send<{ publishedSlug: string; publishSettings: object }>(
      'GET',
      `/workflows/${id}`,
    );
    assert.equal(storedWorkflow.publishedSlug, 'boats-of-mine');
    assert.deepEqual(storedWorkflow.publishSettings, {
      title: 'My boats',
      exposedInputs: [],
      isTemplate: false,
      allowDuplicate: true,
      showResults: false,
    });
    assert.deepEqual(testPage.errors, []);
  });

  it('share with an email address that has no account and revoke the share', async () => {
    const id = await flow.create(PICTURE);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Share' });
    await dialog.getByLabel('Email').fill('somebody@example.com');
    await dialog.getByRole('button', { name: 'Invite', exact: true }).click();
    const invitation = page.getByRole('dialog', { name: 'Invite somebody@example.com' });
    await invitation.getByRole('button', { name: 'Close' }).click();
    await dialog.getByText('not opened yet').waitFor();
    const role = dialog.getByLabel('Role of somebody@example.com');
    await role.selectOption({ label: 'Editor' });
    await waitUntil('the new role', async () => (await role.inputValue()) === 'EDIT');
    await dialog.getByRole('button', { name: 'Remove somebody@example.com' }).click();
    await dialog.getByText('Not shared with anyone yet.').waitFor();
    assert.deepEqual(testPage.errors, []);
  });

  it('create the account of an invited person, whose link ends at the workflow', async () => {
    const id = await flow.create(PICTURE);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Share' });
    await dialog.getByLabel('Email').fill('ana.lopez@example.com');
    await dialog.getByRole('button', { name: 'Invite', exact: true }).click();
    const invitation = page.getByRole('dialog', { name: 'Invite ana.lopez@example.com' });
    await invitation.getByText('This person has no account yet.').waitFor();
    await invitation.getByText(/^The account gets the default plan and [\d,]+ credits\./).waitFor();
    assert.equal(await invitation.getByLabel('Name').inputValue(), 'Ana Lopez');
    await invitation.getByRole('button', { name: 'Create invitation link' }).click();
    const link = new URL(await invitation.getByLabel('Link').inputValue());
    await invitation.getByText('Send this link to ana.lopez@example.com privately.').waitFor();
    assert.deepEqual([link.pathname, link.searchParams.get('next')], ['/setup', `/flow/${id}`]);
    await invitation.getByRole('button', { name: 'Close' }).click();
    await dialog.getByRole('button', { name: 'Send link to ana.lopez@example.com' }).click();
    await invitation.getByText('was invited but has not chosen a password').waitFor();
    await invitation.getByRole('button', { name: 'Create invitation link' }).click();
    const token = new URL(await invitation.getByLabel('Link').inputValue()).hash.slice(1);
    const response = await fetch(`${flow.service.url}/api/v1/auth/accept-invite`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
      body: JSON.stringify({ token, password: 'a long enough password' }),
    });
    assert.equal(response.status, 204);
    await invitation.getByRole('button', { name: 'Close' }).click();
    await dialog.getByRole('button', { name: 'Send link to ana.lopez@example.com' }).click();
    await invitation.getByText('Ana Lopez has an account.').waitFor();
    assert.match(await invitation.getByLabel('Link').inputValue(), new RegExp(`/flow/${id}$`));
    assert.deepEqual(testPage.errors, []);
  });

  it('say what an owner who is no administrator can send', async () => {
    const id = await flow.create(PICTURE);
    const email = 'kim@example.com';
    const cookie = await signUpUser(flow.service, { email, name: 'Kim' });
    await flow.send('PUT', `/workflows/${id}/permissions`, { email, role: 'OWNER' });
    await flow.send('PUT', `/workflows/${id}/permissions`, { email: 'new@example.com', role: 'VIEW' });
    await using testPage = await flow.open(id, undefined, cookie);
    const { page } = testPage;
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Share' });
    await dialog.getByText('People with an account get a notice.').waitFor();
    await dialog.getByRole('button', { name: 'Send link to new@example.com' }).click();
    const invitation = page.getByRole('dialog', { name: 'Invite new@example.com' });
    await invitation.getByText('If they have none, ask an administrator to invite them.').waitFor();
    // People who have opened the workflow need no link.
    assert.equal(await dialog.getByRole('button', { name: /^Send link to/ }).count(), 1);
    assert.match(await invitation.getByLabel('Link').inputValue(), new RegExp(`/flow/${id}$`));
    assert.equal(await invitation.getByRole('button', { name: 'Create invitation link' }).count(), 0);
    assert.deepEqual(testPage.errors, []);
  });

  it('stay open when a press in the dialog ends outside of it', async () => {
    const id = await flow.create(PICTURE);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Share' });
    await dialog.getByRole('tab', { name: 'Publish' }).dispatchEvent('pointerdown', { bubbles: true });
    // The backdrop belongs to the element of the dialog.
    await dialog.dispatchEvent('click', { bubbles: true });
    assert.equal(await dialog.count(), 1);
    await dialog.dispatchEvent('pointerdown', { bubbles: true });
    await dialog.dispatchEvent('click', { bubbles: true });
    await dialog.waitFor({ state: 'detached' });
  });

  it('are open to everyone with the role of an owner', async () => {
    const dana = await flow.service.createUser({ name: 'Dana' });
    const id = await dana.createWorkflow(PICTURE);
    const { body: me } = await flow.service.request<{ email: string }>('GET', '/me');
    const open = async (role: string) => {
      await dana.request('PUT', `/workflows/${id}/permissions`, { email: me.email, role });
      const testPage = await flow.open(id);
      await testPage.page.getByRole('button', { name: 'Share', exact: true }).click();
      return testPage;
    };
    await using asEditor = await open('EDIT');
    await asEditor.page.getByText('Only owners of the workflow can share it.').waitFor();
    await using asOwner = await open('OWNER');
    await asOwner.page.getByRole('dialog').getByLabel('Email').waitFor();
  });
});
