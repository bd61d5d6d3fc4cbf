// Tests the pages of media, templates and teams: uploads, details, deletion; prices and copies; invitations.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { TestPage } from '../support/browser.ts';
import { noiseImage } from '../support/media/pixels.ts';
import { at, node } from '../support/workflows.ts';
import { setUpSignedInPages } from './dom/signed-in-pages.ts';

const PASSWORD = 'correct horse battery';
const SCRIPT = '<img src=x onerror=alert(1)>';
const FILE_NAME = 'a picture.png';
/** The file name that the service stores. */
const STORED_NAME = 'a-picture.png';

describe('the pages of media, templates and teams', () => {
  const editor = setUpSignedInPages();
  let picture: Buffer;

  before(async () => {
    picture = Buffer.from(await noiseImage(320, 200, 'png'));
  });

  it('upload files that are chosen, dropped and pasted', async () => {
    await using testPage = await editor.open('/media');
    const { page } = testPage;
    await page
      .locator('input[type=file]')
      .first()
      .setInputFiles([
        { name: FILE_NAME, mimeType: 'image/png', buffer: picture },
        { name: 'words.txt', mimeType: 'text/plain', buffer: Buffer.from('no picture') },
      ]);
    // The error disappears after a while, perhaps before the picture is processed.
    await Promise.all([
      page.getByText(/^words\.txt: /).waitFor(),
      page.getByRole('button', { name: `Details of ${STORED_NAME}` }).waitFor(),
    ]);
    for (const kind of ['drop', 'paste']) {
      await page.evaluate(
        ([base64, how]) => {
          const bytes = Uint8Array.from(atob(base64 ?? ''), char => char.charCodeAt(0));
          const files = [new File([bytes], `${how}.png`, { type: 'image/png' })];
          const event = new Event(how ?? '', { bubbles: true, cancelable: true });
          const name = how === 'drop' ? 'dataTransfer' : 'clipboardData';
          Object.defineProperty(event, name, { value: { files, types: ['Files'], getData: () => '' } });
          document.body.dispatchEvent(event);
        },
        [picture.toString('base64'), kind],
      );
      await page.getByRole('button', { name: `Details of ${kind}.png` }).waitFor();
    }
    assert.deepEqual(
      testPage.errors.filter(text => !text.includes('status of 4')),
      [],
    );
  });

  it('show the details and uses of a file and delete the file after a confirmation', async () => {
    await using testPage = await editor.open('/media');
    const { page } = testPage;
    await page.getByRole('button', { name: 'Details of drop.png' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('320 × 200').waitFor();
    await dialog.getByText('Not used in anything you can view.').waitFor();
    const [, mediaId = ''] = /(med_[0-9a-z]{26})/.exec((await dialog.textContent()) ?? '') ?? [];
    const data = { label: SCRIPT, category: 'input', nodeType: 'input:image', config: { mediaId } };
    const image = { id: 'a', type: 'basedNode', position: { x: 0, y: 0 }, data };
    const id = await editor.service.createWorkflow({ name: 'Poster of spring', nodes: [image], edges: [] });
    await page.reload();
    await page.getByRole('button', { name: 'Details of drop.png' }).click();
    const use = dialog.getByRole('link', { name: 'Poster of spring' });
    await dialog.getByText(`Workflow, in ${SCRIPT}`).waitFor();
    assert.equal(await use.getAttribute('href'), `/flow/${id}`);
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: 'Delete drop.png?' }).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('drop.png was deleted.').waitFor();
    await page.getByRole('button', { name: 'Details of drop.png' }).waitFor({ state: 'detached' });
    assert.deepEqual(testPage.errors, []);
  });

  it('show results by day and search by prompt and workflow', async () => {
    const id = await editor.service.createWorkflow({
      name: 'Harbour film',
      nodes: [
        node('wide', 'generate:sandbox', { prompt: 'a red boat', width: 640, height: 360 }),
        node('tall', 'generate:sandbox', { prompt: 'a tall tower', width: 360, height: 640 }, at(400, 0)),
        node('clip', 'video:sandbox', { prompt: 'waves at night', duration: 1 }, at(800, 0)),
      ],
      edges: [],
    });
    await editor.service.runWorkflow(id);
    await editor.service.db.query(
      `update media set created_at = now() - interval '1 day' where prompt = 'a tall tower'`,
    );
    await using testPage = await editor.open('/media');
    const { page } = testPage;
    const boat = page.getByRole('button', { name: 'Details of a red boat' });
    await boat.getByText('Harbour film').waitFor();
    // A video shows its poster.
    assert.match((await page.locator('video').getAttribute('poster')) ?? '', /poster\.jpg$/);
    const yesterday = page
      .locator('section')
      .filter({ has: page.getByRole('heading', { name: 'Yesterday' }) });
    await yesterday.getByRole('button', { name: 'Details of a tall tower' }).waitFor();
    assert.equal(await yesterday.getByRole('listitem').count(), 1);
    await page.getByLabel('Search media').fill('red BOAT');
    await yesterday.waitFor({ state: 'detached' });
    await boat.click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('a red boat').waitFor();
    await dialog.getByRole('link', { name: 'View run' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByLabel('Search media').fill('nothing of the kind');
    await page.getByRole('heading', { name: 'No matching media' }).waitFor();
    await page.getByRole('button', { name: 'Show all' }).click();
    await page.getByLabel('Type').selectOption('video');
    await boat.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Details of waves at night' }).waitFor();
    await page.getByLabel('Source').selectOption('From apps');
    await page.getByRole('heading', { name: 'No matching media' }).waitFor();
    assert.deepEqual(testPage.errors, []);
  });

  it('select, mark, collect, rename and delete files with the keyboard', async () => {
    for (const name of ['one.png', 'two.png', 'three.png']) {
      const dataUrl = `data:image/png;base64,${picture.toString('base64')}`;
      const { body } = await editor.service.request('POST', '/media/upload', { dataUrl });
      await editor.service.request('PATCH', `/media/${body.mediaId}`, { name });
    }
    await using testPage = await editor.open('/media?q=png&origin=upload');
    const { page } = testPage;
    const find = (name: string) => page.getByRole('button', { name: `Details of ${name}` });
    await find('three.png').focus();
    await page.keyboard.press('f');
    await page.getByRole('button', { name: 'Favorite three.png', pressed: true }).waitFor();
    await page.keyboard.press(' ');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Shift+ ');
    await page.getByText('2 selected').waitFor();
    await page.getByRole('button', { name: 'Add to collection' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name of the collection').fill('Numbers');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('2 files added to Numbers.').waitFor();
    await page.getByRole('button', { name: 'Clear selection' }).click();
    await page.getByRole('button', { name: /^Numbers/ }).click();
    await find('one.png').waitFor({ state: 'detached' });
    await find('two.png').click();
    await dialog.getByRole('button', { name: 'Rename' }).click();
    await dialog.getByLabel('Name').fill('Second');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Renamed to Second.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Delete collection' }).click();
    await dialog.getByRole('button', { name: 'Delete collection' }).click();
    await page.getByText('Numbers was deleted.').waitFor();
    await find('one.png').waitFor();
    await page.getByRole('button', { name: 'Favorites' }).click();
    await find('two.png').waitFor({ state: 'detached' });
    await find('three.png').focus();
    await page.keyboard.press('Delete');
    await page.getByRole('heading', { name: 'Delete 1 file?' }).waitFor();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('1 file deleted.').waitFor();
    await find('three.png').waitFor({ state: 'detached' });
    assert.deepEqual(testPage.errors, []);
  });

  it('compare two files with the facts that differ', async () => {
    const size = { width: 64, height: 64 };
    const id = await editor.service.createWorkflow({
      name: 'Two whales',
      nodes: [
        node('first', 'generate:sandbox', { prompt: 'a gray whale', seed: 7, ...size }),
        node('second', 'generate:sandbox', { prompt: 'a blue whale', seed: 7, ...size }, at(400, 0)),
      ],
      edges: [],
    });
    await editor.service.runWorkflow(id);
    await using testPage = await editor.open('/media?q=whale');
    const { page } = testPage;
    const find = (name: string) => page.getByRole('button', { name: `Details of ${name}` });
    await find('a gray whale').focus();
    await page.keyboard.press(' ');
    assert.equal(await page.getByRole('button', { name: 'Compare' }).count(), 0);
    await find('a blue whale').focus();
    await page.keyboard.press(' ');
    await page.getByText('2 selected').waitFor();
    await page.getByRole('button', { name: 'Compare' }).click();
    const dialog = page.getByRole('dialog', { name: 'Compare two files' });
    await dialog.getByRole('slider', { name: 'Comparison slider' }).waitFor();
    const cells = dialog.getByRole('row', { name: /Prompt/ }).getByRole('cell');
    assert.deepEqual((await cells.allTextContents()).toSorted(), ['a blue whale', 'a gray whale']);
    // The seeds, models and sizes are equal.
    assert.equal(await dialog.getByRole('row').count(), 2);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    assert.deepEqual(testPage.errors, []);
  });

  it('show templates with their price and copy a template', async () => {
    const id = await editor.service.createWorkflow({
      name: 'A greeting',
      description: 'Says hello.',
      nodes: [node('words', 'input:text', { value: 'Hello' })],
      edges: [],
    });
    const { status } = await editor.service.request('POST', `/workflows/${id}/publish`, {
      isPublished: true,
      slug: 'a-greeting',
      settings: { category: 'Text', allowDuplicate: true, isTemplate: true },
    });
    assert.equal(status, 200);
    await using testPage = await editor.open('/templates');
    const { page } = testPage;
    const card = page.getByRole('listitem').filter({ hasText: 'A greeting' });
    await card.getByText('Free').waitFor();
    await page.getByLabel('Search templates').fill('greeting zzz');
    await page.getByRole('heading', { name: 'No matching templates' }).waitFor();
    await page.getByLabel('Search templates').fill('text HELLO');
    await card.getByText('Free').waitFor();
    assert.equal(await page.getByRole('button', { name: /^Use template/ }).count(), 1);
    await page.getByRole('button', { name: 'Use template A greeting' }).click();
    await page.waitForURL(/\/flow\//);
    assert.notEqual(new URL(page.url()).pathname, `/flow/${id}`);
  });

  it('create a team, invite a member, switch to the team and delete the team', async () => {
    const user = { email: 'bea@example.com', name: 'Bea', invite: true };
    const { body } = await editor.service.request<{ inviteUrl: string }>('POST', '/admin/users', user);
    await using testPage = await editor.open('/settings/teams');
    const { page } = testPage;
    await page.getByRole('button', { name: 'New team' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Studio');
    await dialog.getByRole('button', { name: 'Create team' }).click();
    await page.getByRole('heading', { name: 'Members of Studio' }).waitFor();
    const invitations = page.getByRole('list', { name: 'Invitations to Studio' });
    for (const email of ['bea@example.com', 'nobody@example.com']) {
      await page.getByRole('button', { name: 'Invite', exact: true }).click();
      await dialog.getByLabel('Email').fill(email);
      await dialog.getByRole('button', { name: 'Invite' }).click();
      await invitations.getByText(email).waitFor();
    }
    await page.getByRole('button', { name: 'Revoke the invitation for nobody@example.com' }).click();
    await dialog.getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('The invitation for nobody@example.com was revoked.').waitFor();
    await acceptAsBea(body.inviteUrl, await readInvitationLink(testPage));
    await page.reload();
    const role = page.getByLabel('Role of Bea');
    await role.waitFor();
    assert.equal(await invitations.count(), 0);
    // During a slow reload, the page shows the new role, and confirms the change only after the reload.
    const reload = Promise.withResolvers<void>();
    await page.route('**/members?*', route => reload.promise.then(() => route.continue()));
    const reloadRequest = page.waitForRequest('**/members?*');
    await role.selectOption('VIEWER');
    await reloadRequest;
    assert.equal(await role.inputValue(), 'VIEWER');
    assert.equal(await page.getByText('The role of Bea was changed.').count(), 0);
    reload.resolve();
    await page.getByText('The role of Bea was changed.').waitFor();
    assert.equal(await role.inputValue(), 'VIEWER');
    await page.getByRole('button', { name: 'Switch to Studio' }).click();
    await page.getByText('Switched to Studio.').waitFor();
    await page.getByRole('button', { name: 'Remove Bea' }).click();
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await page.getByText('Bea was removed.').waitFor();
    await page.getByRole('button', { name: 'Delete team' }).click();
    await page.getByRole('heading', { name: 'Delete Studio?' }).waitFor();
    await dialog.getByRole('button', { name: 'Delete team' }).click();
    await page.getByText('Studio was deleted.').waitFor();
    await page.getByRole('heading', { name: 'Members of Studio' }).waitFor({ state: 'detached' });
    assert.deepEqual(testPage.errors, []);
  });

  /** Copies the invitation link with its button, because the page does not show the link. */
  const readInvitationLink = async ({ page, context }: TestPage): Promise<string> => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy link for bea@example.com' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    return page.evaluate<string>('navigator.clipboard.readText()');
  };

  const acceptAsBea = async (inviteUrl: string, link: string): Promise<void> => {
    await using testPage = await editor.browser.open(editor.service.url);
    const { page } = testPage;
    await page.goto(inviteUrl);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Set password and sign in' }).click();
    await page.getByRole('link', { name: '1 invitation' }).waitFor();
    await page.goto(link);
    await page.getByRole('button', { name: 'Accept the invitation to Studio' }).waitFor();
    await page.getByRole('button', { name: 'Accept the invitation to Studio' }).click();
    await page.getByText('You joined Studio.').waitFor();
    await page.getByRole('heading', { name: 'Members of Studio' }).waitFor();
    await page.getByRole('link', { name: '1 invitation' }).waitFor({ state: 'detached' });
    assert.deepEqual(testPage.errors, []);
    await page.goto(link);
    await page.getByText('Invitation not found. It may have been answered or revoked already.').waitFor();
  };
});
