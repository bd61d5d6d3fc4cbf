// Tests the app of a workflow in the share dialog, and what its owner can do on its page.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AppSettings } from '../../sdk/src/schemas.ts';
import { at, edge, node } from '../support/workflows.ts';
import { dragOnto } from './dom/drag.ts';
import { setUpSignedInPages } from './dom/signed-in-pages.ts';
import { clickTool, nodeOf, showCanvas, untilSaved } from './flow/flow-page.ts';

const GRAPH = {
  nodes: [
    node('place', 'input:text', { value: 'Lisbon' }),
    node('size', 'input:number', { value: 64 }, at(0, 300)),
    node('picture', 'generate:sandbox', { width: 64, height: 64 }, at(400, 0)),
  ],
  edges: [edge('place.text > picture.prompt')],
};

const SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" width="64" height="48"><rect width="64" height="48" fill="teal"/></svg>';

describe('the app of a workflow', () => {
  const editor = setUpSignedInPages();

  const openApp = async (id: string) => {
    const testPage = await editor.open(`/flow/${id}`);
    const { page } = testPage;
    await showCanvas(page);
    await clickTool(page, 'Share');
    const dialog = page.getByRole('dialog', { name: 'Share' });
    await dialog.getByRole('tab', { name: 'App' }).click();
    await dialog.getByRole('button', { name: /^(?:Create|Save) app$/ }).waitFor();
    return { testPage, page, dialog };
  };

  it('has a dialog that asks before discarding unsaved changes', async () => {
    const id = await editor.service.createWorkflow({ name: 'Drafts', ...GRAPH });
    const { testPage, page, dialog } = await openApp(id);
    await using _ = testPage;
    const question = page.getByRole('dialog', { name: 'Discard your changes?' });
    await dialog.getByLabel('Title').fill('A new title');
    await page.keyboard.press('Escape');
    await question.getByRole('button', { name: 'Cancel' }).click();
    assert.equal(await dialog.getByLabel('Title').inputValue(), 'A new title');
    await dialog.getByRole('tab', { name: 'People' }).click();
    await question.getByRole('button', { name: 'Discard' }).click();
    await dialog.getByRole('button', { name: 'Invite' }).waitFor();
    await dialog.getByRole('tab', { name: 'App' }).click();
    assert.equal(await dialog.getByLabel('Title').inputValue(), 'Drafts');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });

  it('has a dialog that keeps what the user types while it is being saved', async () => {
    const id = await editor.service.createWorkflow({ name: 'Typing', ...GRAPH });
    const { testPage, page, dialog } = await openApp(id);
    await using _ = testPage;
    const isTyped = Promise.withResolvers<void>();
    await page.route('**/app', route =>
      route.request().method() === 'PUT' ? isTyped.promise.then(() => route.continue()) : route.continue(),
    );
    const request = page.waitForRequest(sent => sent.method() === 'PUT');
    await dialog.getByRole('button', { name: 'Create app' }).click();
    await request;
    await dialog.getByLabel('Title').fill('Typed meanwhile');
    isTyped.resolve();
    await dialog.getByRole('button', { name: 'Save app' }).waitFor();
    assert.equal(await dialog.getByLabel('Title').inputValue(), 'Typed meanwhile');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Discard your changes?' }).waitFor();
  });

  it('has a preview with the controls of its page', async () => {
    const id = await editor.service.createWorkflow({
      name: 'Controls',
      nodes: [node('size', 'input:number', { value: 64 }), node('data', 'input:json', {}, at(0, 300))],
      edges: [],
    });
    const { testPage, dialog } = await openApp(id);
    await using _ = testPage;
    const preview = dialog.getByRole('region', { name: 'Preview' });
    const getTag = (label: string): Promise<string> =>
      preview.getByLabel(label).evaluate(element => `${element.tagName} ${element.getAttribute('type')}`);
    assert.equal(await getTag('data'), 'TEXTAREA null');
    const size = dialog.getByRole('list', { name: 'Inputs in the form' }).getByRole('listitem').first();
    await size.getByText('Label, help, group and limits').click();
    assert.equal(await size.getByLabel('Control').inputValue(), 'text');
    await size.getByLabel('Smallest value').fill('1');
    await size.getByLabel('Largest value').fill('9');
    assert.equal(await getTag('size'), 'INPUT range');
    assert.equal(await size.getByLabel('Control').inputValue(), 'slider');
  });

  it('is created from nodes that are clicked in its preview', async () => {
    const id = await editor.service.createWorkflow({ name: 'Postcards', ...GRAPH });
    const { testPage, dialog } = await openApp(id);
    await using _ = testPage;
    const inputs = dialog.getByRole('list', { name: 'Inputs in the form' }).getByRole('listitem');
    const order = async (): Promise<readonly string[]> => inputs.locator('strong').allTextContents();
    assert.deepEqual(await order(), ['place', 'size']);
    await dialog.getByRole('button', { name: 'Input size' }).click();
    assert.deepEqual(await order(), ['place']);
    await dialog.getByRole('button', { name: 'Input size' }).press('Enter');
    assert.equal(
      await dialog.getByRole('button', { name: 'Result picture' }).getAttribute('aria-pressed'),
      'true',
    );
    const up = dialog.getByRole('button', { name: 'Move size up' });
    await up.press('Enter');
    assert.deepEqual(await order(), ['size', 'place']);
    assert.equal(await up.evaluate(button => button === document.activeElement), true);
    await up.press('Enter');
    assert.deepEqual(await order(), ['size', 'place']);
    await dragOnto(inputs.first().locator('strong'), inputs.nth(1));
    assert.deepEqual(await order(), ['place', 'size']);

    const place = inputs.first();
    await place.getByText('Label, help, group and limits').click();
    await place.getByLabel('Label', { exact: true }).fill('Where to?');
    await place.getByLabel('Help').fill('A city or a country');
    await place.getByLabel('Characters, at most').fill('80');
    await place.getByLabel('Required').check();
    const preview = dialog.getByRole('region', { name: 'Preview' });
    await preview.getByText('Where to? *').waitFor();
    await preview.getByText('A city or a country').waitFor();

    await dialog.getByLabel('Label of picture').fill('Your postcard');
    await dialog.getByLabel('Who can run it').selectOption('Anyone with the link');
    await dialog.getByLabel('Credits a day').fill('40');
    await dialog.getByLabel('Credits per run').fill('5');
    await dialog.getByLabel('Runs a day, all visitors').fill('200');
    await dialog.getByLabel('MB of uploads a day, all visitors').fill('50');
    await dialog
      .getByText(
        /^Anyone with the link, at most 40 credits a day, at most 5 credits per run, 3 runs a day each, paid by /,
      )
      .waitFor();
    await dialog.getByRole('button', { name: 'Create app' }).click();
    await dialog.getByRole('link', { name: /\/a\/postcards$/ }).waitFor();
    const { body: app } = await editor.service.request<AppSettings>('GET', `/workflows/${id}/app`);
    assert.deepEqual(app.inputs, [
      {
        nodeId: 'place',
        label: 'Where to?',
        showsDefault: true,
        help: 'A city or a country',
        maxLength: 80,
        isRequired: true,
      },
      { nodeId: 'size', label: 'size', showsDefault: true },
    ]);
    assert.deepEqual(
      [
        app.outputs,
        app.outputLabels,
        app.audience,
        app.payer,
        app.dailyCredits,
        app.maxCreditsPerRun,
        app.runsPerVisitor,
        app.runsPerDay,
        app.uploadBytesPerDay,
      ],
      [['picture'], { picture: 'Your postcard' }, 'anyone', 'owner', 40, 5, 3, 200, 50_000_000],
    );
    assert.deepEqual(testPage.errors, []);
  });

  it('shows visitors the file of the workflow only after the owner has agreed', async () => {
    const { body: media } = await editor.service.request<{ mediaId: string }>('POST', '/media/upload', {
      dataUrl: `data:image/svg+xml;base64,${btoa(SVG)}`,
    });
    await editor.service.request('PATCH', `/media/${media.mediaId}`, { name: 'family.svg' });
    const id = await editor.service.createWorkflow({
      name: 'Photos',
      nodes: [
        node('topic', 'input:text', { value: 'A boat' }),
        node('photo', 'input:image', { mediaId: media.mediaId }, at(0, 300)),
        node('linked', 'input:audio', { url: 'https://example.com/a/song.mp3' }, at(0, 600)),
        node('end', 'output:preview', {}, at(400, 0)),
      ],
      edges: [edge('topic.text > end.input')],
    });
    const { testPage, dialog } = await openApp(id);
    await using _ = testPage;
    const inputs = dialog.getByRole('list', { name: 'Inputs in the form' }).getByRole('listitem');
    for (const [index, name] of [
      [1, 'family.svg'],
      [2, 'song.mp3'],
    ] as const) {
      const input = inputs.nth(index);
      await input.getByText('Label, help, group and limits').click();
      const check = input.getByLabel('Show visitors the file that the workflow has');
      assert.equal(await check.isChecked(), false);
      assert.equal(await input.getByText(name).count(), 0);
      await check.check();
      await input.getByText(name).waitFor();
    }
    await inputs.nth(1).locator('img').waitFor();
    await inputs.nth(2).getByLabel('Show visitors the file that the workflow has').uncheck();
    await dialog.getByRole('button', { name: 'Create app' }).click();
    await dialog.getByRole('button', { name: 'Save app' }).waitFor();
    const { body: app } = await editor.service.request<AppSettings>('GET', `/workflows/${id}/app`);
    assert.deepEqual(
      app.inputs.map(({ showsDefault }) => showsDefault),
      [true, true, false],
    );
    assert.deepEqual(testPage.errors, []);
  });

  it('keeps the settings that the dialog does not show', async () => {
    const id = await editor.service.createWorkflow({ name: 'Kept', ...GRAPH });
    await editor.service.request('PUT', `/workflows/${id}/app`, {
      slug: 'kept-app',
      title: 'Kept',
      inputs: [{ nodeId: 'place', label: 'Place', placeholder: 'Lisbon' }],
      outputs: ['picture'],
      embedOrigins: ['https://example.com'],
    });
    const { testPage, dialog } = await openApp(id);
    await using _ = testPage;
    await dialog.getByLabel('Title').fill('Renamed');
    await dialog.getByLabel('Keep running the current version').check();
    await dialog.getByRole('button', { name: 'Save app' }).click();
    await testPage.page.getByText('App saved').waitFor();
    const { body: app } = await editor.service.request<AppSettings>('GET', `/workflows/${id}/app`);
    assert.deepEqual(
      [app.title, app.version, app.embedOrigins, app.inputs[0]?.placeholder],
      ['Renamed', 1, ['https://example.com'], 'Lisbon'],
    );
    await dialog.getByRole('button', { name: 'Delete app' }).click();
    const confirm = testPage.page.getByRole('dialog', { name: 'Delete the app?' });
    await confirm.getByRole('button', { name: 'Delete app' }).click();
    await dialog.getByRole('button', { name: 'Create app' }).waitFor();
    assert.equal((await editor.service.request('GET', `/workflows/${id}/app`)).status, 404);
    assert.deepEqual(testPage.errors, []);
  });

  it('is embedded with grouped inputs and examples', async () => {
    const id = await editor.service.createWorkflow({ name: 'Embedded', ...GRAPH });
    await editor.service.runWorkflow(id, { inputs: { place: 'Porto' } });
    await editor.service.runWorkflow(id, { inputs: { place: 'Faro' } });
    const { testPage, page, dialog } = await openApp(id);
    await using _ = testPage;
    const inputs = dialog.getByRole('list', { name: 'Inputs in the form' }).getByRole('listitem');
    for (const index of [0, 1]) {
      await inputs.nth(index).getByText('Label, help, group and limits').click();
      await inputs.nth(index).getByLabel('Group').fill('Look');
    }
    await dialog.getByRole('region', { name: 'Preview' }).getByRole('group', { name: 'Look' }).waitFor();
    const runs = dialog.getByRole('list', { name: 'Examples' }).getByRole('button');
    await runs.nth(1).click();
    await runs.nth(0).press('Enter');
    assert.match((await runs.nth(1).textContent()) ?? '', /^Example 1: Started now/);
    await runs.nth(0).locator('img').waitFor();
    await dialog.getByText('Embed on a website').click();
    await dialog.getByText('Create the app to get the code').waitFor();
    await dialog
      .getByLabel('Websites that may embed the app')
      .fill('https://a.example\nhttps://b.example/page');
    await dialog.getByRole('button', { name: 'Create app' }).click();
    await dialog.getByText('Write an origin such as https://example.com, without a path.').waitFor();
    await dialog.getByLabel('Websites that may embed the app').fill('https://a.example\nhttps://b.example');
    await dialog.getByRole('button', { name: 'Create app' }).click();
    const appLink = dialog.getByRole('link', { name: 'Open app' });
    assert.equal(await appLink.getAttribute('href'), `${editor.service.url}/a/embedded`);
    await dialog.getByText(`<iframe src="${editor.service.url}/a/embedded" title="Embedded"`).waitFor();
    await dialog.getByRole('button', { name: 'Create embed key' }).click();
    const key = await dialog.getByLabel('Embed key', { exact: true }).inputValue();
    assert.match(key, /^[\w-]{43}$/);
    await dialog.getByRole('button', { name: 'Replace embed key' }).click();
    const confirm = page.getByRole('dialog', { name: 'Replace the embed key?' });
    await confirm.getByRole('button', { name: 'Replace embed key' }).click();
    await confirm.waitFor({ state: 'detached' });
    assert.notEqual(await dialog.getByLabel('Embed key', { exact: true }).inputValue(), key);
    const { body: app } = await editor.service.request<AppSettings>('GET', `/workflows/${id}/app`);
    assert.deepEqual(
      app.inputs.map(({ group }) => group),
      ['Look', 'Look'],
    );
    const { body: executions } = await editor.service.request<{ data: { id: string }[] }>(
      'GET',
      `/workflows/${id}/executions`,
    );
    assert.deepEqual(app.examples, executions.data.map(run => run.id).reverse());
    assert.deepEqual([app.embedOrigins, app.hasEmbedKey], [['https://a.example', 'https://b.example'], true]);
    await page.reload();
    await clickTool(page, 'Share');
    await dialog.getByRole('tab', { name: 'App' }).click();
    assert.equal(await runs.nth(0).getAttribute('aria-pressed'), 'true');
    await runs.nth(0).click();
    await dialog.getByRole('button', { name: 'Save app' }).click();
    await page.getByText('App saved').waitFor();
    assert.equal(
      (await editor.service.request<AppSettings>('GET', `/workflows/${id}/app`)).body.examples?.length,
      1,
    );
  });

  it('shows a result in its gallery after the owner adds it', async () => {
    const id = await editor.service.createWorkflow({ name: 'Pictures', ...GRAPH });
    await editor.service.request('PUT', `/workflows/${id}/app`, {
      slug: 'pictures',
      title: 'Pictures',
      inputs: [{ nodeId: 'place', label: 'Place' }],
      outputs: ['picture'],
      showsGallery: true,
    });
    await using testPage = await editor.open('/a/pictures');
    const { page } = testPage;
    await page.getByLabel('Place').fill('Lagos');
    await page.getByRole('button', { name: 'Run' }).click();
    await page.locator('[data-status=COMPLETED] .output img').waitFor();
    await page.getByRole('button', { name: 'Add to gallery' }).click();
    await page.getByRole('button', { name: 'Remove from gallery' }).waitFor();
    await page.getByRole('heading', { name: 'Gallery' }).waitFor();
    await page.getByRole('heading', { name: 'Results of visitors' }).waitFor();
    assert.deepEqual(testPage.errors, []);
  });

  it('is broken by a save of the workflow only after a confirmation', async () => {
    const id = await editor.service.createWorkflow({ name: 'Breaks', ...GRAPH });
    await editor.service.request('PUT', `/workflows/${id}/app`, {
      slug: 'breaking-app',
      title: 'Breaks',
      inputs: [{ nodeId: 'size' }],
      outputs: ['picture'],
    });
    await using testPage = await editor.open(`/flow/${id}`);
    const { page } = testPage;
    await nodeOf(page, 'size').click({ position: { x: 90, y: 20 } });
    await page.keyboard.press('Delete');
    await page.getByText('Not saved: the app of this workflow uses what you changed.').waitFor();
    await page.getByRole('button', { name: 'Save anyway' }).click();
    const dialog = page.getByRole('dialog', { name: 'Save and put the app out of order?' });
    await dialog.getByRole('button', { name: 'Save anyway' }).click();
    await untilSaved(page);
    const storedWorkflow = await editor.service.request<{ nodes: readonly { id: string }[] }>(
      'GET',
      `/workflows/${id}`,
    );
    assert.deepEqual(
      storedWorkflow.body.nodes.map(node => node.id),
      ['place', 'picture'],
    );
    const { body: app } = await editor.service.request<AppSettings>('GET', `/workflows/${id}/app`);
    assert.equal(app.issues.length, 1);
    await nodeOf(page, 'place').click({ position: { x: 90, y: 20 } });
    await page.keyboard.press('ArrowDown');
    await untilSaved(page);
  });
});
