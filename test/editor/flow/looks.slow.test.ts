// Looks at all parts of the board with axe-core, in Chromium: panels, dialogs, results, components, scenes and the phone.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { assertAccessible, BROWSER_MISSING_REASON, takeScreenshot, VIEWS } from '../../support/browser.ts';
import { waitUntil } from '../../support/processes.ts';
import { CHANGED, createCaller, createComponent } from './component-graphs.ts';
import { setUpFlowTests } from './flow-browser.ts';
import { boardOf, clickTool, nodeOf, PICTURE, pictureOf, type SentGraph, untilSaved } from './flow-page.ts';

const [PHONE, DARK_PHONE, DESKTOP, DARK] = VIEWS;
const HEAD = { position: { x: 90, y: 20 } };
const STILL_IMAGE = 'figure[aria-label="Video at the playhead"] img';

describe('all parts of the board', { skip: BROWSER_MISSING_REASON }, () => {
  const flow = setUpFlowTests();

  const look = async (page: Page, name: string): Promise<void> => {
    await takeScreenshot(page, name, DESKTOP);
    await assertAccessible(page);
  };
  /** Looks at the colors in the dark, and continues in the light. */
  const lookInTheDark = async (page: Page, name: string): Promise<void> => {
    await page.emulateMedia({ colorScheme: 'dark' });
    await takeScreenshot(page, name, DARK);
    await assertAccessible(page, 'colors');
    await page.emulateMedia({ colorScheme: 'light' });
  };
  const inspectorOf = (page: Page) => page.getByRole('complementary', { name: 'Inspector' });

  it('are accessible: the inspector and its fields', async () => {
    const id = await flow.create({ ...FIELDS, secrets: { TOKEN: 'abc' } } as SentGraph);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await page
      .getByRole('region', { name: 'Issues' })
      .getByRole('button', { name: /warning/ })
      .click();
    await nodeOf(page, 'Data').click(HEAD);
    await inspectorOf(page).locator('.cm-content').waitFor();
    await look(page, 'flow-code');
    await lookInTheDark(page, 'flow-code');
    await nodeOf(page, 'List').click(HEAD);
    await inspectorOf(page).getByLabel('Item 1', { exact: true }).waitFor();
    await look(page, 'flow-list');
    await nodeOf(page, 'Program').click(HEAD);
    await inspectorOf(page).getByRole('button', { name: 'Run this node', exact: true }).click();
    await inspectorOf(page).getByRole('log').getByText('counted 42').waitFor();
    await look(page, 'flow-program');
    await inspectorOf(page).getByRole('button', { name: 'Open large editor' }).click();
    const program = page.getByRole('dialog', { name: 'Code of Program' });
    await program.locator('.cm-content').waitFor();
    await look(page, 'flow-program-large');
    await page.keyboard.press('Escape');
    await program.waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await boardOf(page).focus();
    await page.keyboard.press('/');
    await page.getByRole('dialog').getByRole('combobox').fill('secrets');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Secrets' }).getByText('TOKEN').first().waitFor();
    await look(page, 'flow-secrets');
    assert.deepEqual(testPage.errors, []);
  });

  it('are accessible: panels and dialogs of the bar', async () => {
    const id = await flow.create(PICTURE);
    await flow.send('POST', `/workflows/${id}/run`, {});
    await flow.untilRuns(id, 1);
    await flow.send('PUT', `/workflows/${id}`, { name: 'Board', ...pictureOf('a whale') });
    await flow.send('POST', `/workflows/${id}/run`, {});
    await flow.untilRuns(id, 2);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    for (const name of ['Run history', 'Versions']) {
      await clickTool(page, name);
      const panel = page.getByRole('complementary', { name });
      await panel.getByRole('listitem').nth(1).waitFor();
      await look(page, `flow-${name.toLowerCase().replace(' ', '-')}`);
      if (name === 'Run history') {
        await page.keyboard.press('Escape');
        continue;
      }
      await lookInTheDark(page, 'flow-versions');
      await panel.getByRole('listitem').last().getByRole('button', { name: 'Compare with board' }).click();
      const banner = page.getByRole('region', { name: 'Version comparison' });
      await banner.getByText('1 changed').waitFor();
      await look(page, 'flow-diff');
      await banner.getByRole('button', { name: 'Done' }).click();
    }
    for (const name of ['Add node', 'Export', 'Share']) {
      await clickTool(page, name);
      await page.getByRole('dialog', { name }).waitFor();
      await look(page, `flow-${name.toLowerCase().replace(' ', '-')}`);
      if (name === 'Share') {
        await page.getByRole('dialog', { name }).getByRole('tab', { name: 'Publish' }).click();
        await page.getByRole('dialog', { name }).getByLabel('Title').waitFor();
        await look(page, 'flow-publish');
        await lookInTheDark(page, 'flow-publish');
      }
      await page.keyboard.press('Escape');
      await page.getByRole('dialog', { name }).waitFor({ state: 'detached' });
    }
    await nodeOf(page, 'Picture').click({ ...HEAD, button: 'right' });
    await page.getByRole('menu').waitFor();
    await look(page, 'flow-menu');
    await page.getByRole('menuitem', { name: 'Replace model' }).click();
    await page
      .getByRole('dialog', { name: 'Replace Sandbox image' })
      .getByText(/^Drops/)
      .waitFor();
    await look(page, 'flow-replace');
    await lookInTheDark(page, 'flow-replace');
    await page.keyboard.press('Escape');
    await boardOf(page).focus();
    await page.keyboard.press('Shift+N');
    const picker = page.getByRole('dialog', { name: 'Choose a model' });
    await picker.getByRole('option', { name: /^Sandbox image/ }).waitFor();
    await look(page, 'flow-models');
    assert.deepEqual(testPage.errors, []);
  });

  it('are accessible: the plan, the results and the failure of a run', async () => {
    const id = await flow.create(FAILING);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await nodeOf(page, 'Ask').getByRole('button', { name: 'Approve', exact: true }).waitFor();
    await page.getByRole('figure', { name: 'Result of Picture' }).locator('img').first().waitFor();
    await nodeOf(page, 'Parse').getByRole('button', { name: 'Retry from here' }).waitFor();
    await look(page, 'flow-failed');
    await lookInTheDark(page, 'flow-failed');
    await page.getByRole('figure', { name: 'Result of Picture' }).getByRole('button').nth(1).click();
    const dialog = page.getByRole('dialog', { name: 'Result of Picture' });
    await dialog.getByRole('status').filter({ hasText: '2 of 2' }).waitFor();
    await look(page, 'flow-gallery');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await nodeOf(page, 'Ask').getByRole('button', { name: 'Approve', exact: true }).click();
    await flow.untilRuns(id, 1);
    await nodeOf(page, 'Parse').getByRole('button', { name: 'Retry from here' }).click();
    await page.getByRole('region', { name: 'Run part of the workflow' }).waitFor();
    await look(page, 'flow-plan');
    assert.deepEqual(testPage.errors, []);
  });

  it('are accessible: a node that runs on this machine, and its place in the palette', async () => {
    const id = await flow.create({
      nodes: [
        {
          id: 'language',
          type: 'basedNode',
          position: { x: 0, y: 0 },
          data: { label: 'Language', category: 'utility', nodeType: 'utility:language', config: {} },
        },
      ],
      edges: [],
    } as SentGraph);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await nodeOf(page, 'Language').click(HEAD);
    await inspectorOf(page).getByText('Runs on this machine').waitFor();
    await look(page, 'local-inspector');
    await lookInTheDark(page, 'local-inspector');
    await page.getByRole('toolbar', { name: 'Workflow' }).getByRole('button', { name: 'Add node' }).click();
    const palette = page.getByRole('dialog', { name: 'Add node' });
    await palette.getByRole('combobox').fill('upscale');
    await palette.getByRole('option', { name: /Upscale.*Runs on this machine/ }).waitFor();
    await look(page, 'local-palette');
  });

  it('are accessible: an empty board with templates and a palette without results', async () => {
    const template = await flow.create(PICTURE);
    const settings = { title: 'A template to look at', isTemplate: true };
    await flow.send('POST', `/workflows/${template}/publish`, { isPublished: true, settings });
    const id = await flow.create(PICTURE);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await boardOf(page).focus();
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Delete');
    await page.getByRole('list', { name: 'Templates' }).getByText('A template to look at').waitFor();
    await look(page, 'flow-empty');
    await page.getByRole('searchbox', { name: 'Search nodes' }).press('n');
    const palette = page.getByRole('dialog', { name: 'Add node' });
    await palette.getByRole('combobox').fill('zyzzyva');
    await palette.getByText('No results.').waitFor();
    await look(page, 'flow-palette-empty');
    assert.deepEqual(testPage.errors, []);
  });

  it('are accessible: a component, its uses and its update', async () => {
    const component = await createComponent(flow, 'Joiner to look at');
    const caller = await createCaller(flow, component, 'Letter', ['left']);
    await using testPage = await flow.open(caller);
    const { page } = testPage;
    await nodeOf(page, 'Joiner').click(HEAD);
    await inspectorOf(page).getByLabel('Version').waitFor();
    await look(page, 'component-inspector');
    await page.keyboard.press('m');
    await page.getByRole('dialog', { name: 'Make a component' }).waitFor();
    await look(page, 'component-make');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await flow.send('PUT', `/workflows/${component}`, CHANGED);
    await page.reload();
    await nodeOf(page, 'Joiner').getByRole('button', { name: 'Update available: version 2' }).click();
    const dialog = page.getByRole('dialog', { name: 'Update Joiner' });
    await dialog.getByRole('row').first().waitFor();
    await look(page, 'component-update');
    await lookInTheDark(page, 'component-update');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await nodeOf(page, 'Joiner').dblclick(HEAD);
    await page.getByRole('navigation', { name: 'Path' }).waitFor();
    await page.getByRole('region', { name: 'Component' }).waitFor();
    await page.getByRole('heading', { level: 1 }).waitFor();
    await look(page, 'component-in-place');
    await page.setViewportSize(PHONE);
    await page.getByRole('list', { name: 'Outline' }).waitFor();
    await look(page, 'component-phone');
    await page.setViewportSize(DESKTOP);

    await page.goto(`/workflows?query=${encodeURIComponent('Joiner to look at')}`);
    await page.getByRole('button', { name: /^Component Joiner to look at, used by/ }).click();
    const uses = page.getByRole('dialog', { name: 'Uses of Joiner to look at' });
    await uses.getByRole('button', { name: 'Update all to version 2' }).click();
    await uses.getByRole('row', { name: /Will be updated/ }).waitFor();
    await look(page, 'component-uses');
    await page.keyboard.press('Escape');
    await uses.waitFor({ state: 'detached' });
    await page.setViewportSize(PHONE);
    await page.getByRole('button', { name: 'Actions for Joiner to look at' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page
      .getByRole('dialog', { name: /^Delete/ })
      .getByRole('link', { name: 'Letter' })
      .waitFor();
    await look(page, 'component-delete');
    assert.deepEqual(
      testPage.errors.filter(text => !text.includes('409')),
      [],
    );
  });

  it('are accessible: video templates with their pictures, and scenes that play', async () => {
    const id = await flow.create(VIDEO);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await nodeOf(page, 'Video').click(HEAD);
    await page.getByRole('button', { name: 'Browse templates' }).click();
    const templates = page.getByRole('dialog', { name: 'Video templates' });
    await templates.getByRole('listitem').nth(2).waitFor();
    await page.waitForFunction(() =>
      [...document.querySelectorAll<HTMLImageElement>('dialog img')].every(img => img.naturalWidth > 0),
    );
    await look(page, 'flow-video-templates');
    await templates.getByRole('button').filter({ hasText: /quote/i }).first().click();
    await inspectorOf(page).getByRole('figure', { name: 'Video frame' }).locator('img').waitFor();
    await look(page, 'flow-still');
    await page.goto(`/flow/${await flow.create(VIDEO)}`);
    await nodeOf(page, 'Video').click(HEAD);
    await page.getByRole('button', { name: 'Edit scenes' }).click();
    const dialog = page.getByRole('dialog', { name: 'Video scenes' });
    await dialog.getByRole('button', { name: 'Add a scene' }).click();
    await page.locator(STILL_IMAGE).waitFor();
    await dialog
      .getByRole('button', { name: /^Scene 1/ })
      .first()
      .click();
    const form = dialog.getByRole('region', { name: 'Layer fields' });
    await form.getByRole('textbox', { name: 'Duration', exact: true }).fill('1.5s');
    await look(page, 'flow-scenes');
    const playhead = dialog.getByRole('slider', { name: 'Playhead' });
    await playhead.fill('0');
    // A save can replace the scenes, which stops the video.
    await untilSaved(page);
    await dialog.getByRole('button', { name: 'Play' }).click();
    // Only the video moves the playhead, and its end shows the frame at the playhead again.
    await waitUntil('the end of the video', async () => Number(await playhead.inputValue()) > 1);
    await dialog.getByRole('button', { name: 'Play' }).waitFor();
    await page.locator(STILL_IMAGE).waitFor();
    assert.deepEqual(testPage.errors, []);
  });

  it('are accessible on a phone in the dark', async () => {
    const id = await flow.create(PICTURE);
    await flow.send('POST', `/workflows/${id}/run`, {});
    await flow.untilRuns(id, 1);
    await using testPage = await flow.browser.open(flow.service.url, DARK_PHONE, flow.cookie);
    const { page } = testPage;
    testPage.discard();
    await page.addInitScript(() =>
      localStorage.setItem('graphwright-first-steps', JSON.stringify({ isOpen: true, done: [] })),
    );
    await page.goto(`/flow/${id}`);
    await page
      .getByRole('list', { name: 'Outline' })
      .getByRole('figure', { name: 'Result of Picture' })
      .waitFor();
    await assertAccessible(page);
    await page.getByRole('button', { name: 'Canvas', exact: true }).click();
    await page.getByRole('complementary', { name: 'First steps' }).waitFor();
    await takeScreenshot(page, 'flow-first-steps', DARK_PHONE);
    await assertAccessible(page);
    assert.deepEqual(testPage.errors, []);
  });
});

function createNode(label: string, y: number, nodeType: string, config: object): object {
  const [family = ''] = nodeType.split(':');
  const category = family === 'generate' ? 'model' : family;
  const data = { label, category, nodeType, config };
  return { id: label.toLowerCase(), type: 'basedNode', position: { x: 0, y }, data };
}

const FIELDS: SentGraph = {
  nodes: [
    createNode('Data', 0, 'input:json', { value: { a: 1 } }),
    createNode('List', 300, 'input:list', { items: ['one', 2] }),
    createNode('Program', 600, 'utility:code', {
      code: 'export default () => { console.log("counted", 6 * 7); return { out: 42 } }',
      inputs: [],
      outputs: [{ id: 'out', type: 'NUMBER' }],
    }),
    createNode('Blur', 900, 'utility:image_blur', { radius: 4000 }),
  ],
  edges: [],
};

const FAILING: SentGraph = {
  nodes: [
    createNode('Text', 0, 'input:text', { value: 'no JSON' }),
    createNode('Parse', 300, 'utility:json_extract', { paths: { a: '$.a' } }),
    createNode('Ask', 600, 'logic:approval', { message: 'Shall it go on?' }),
    createNode('List', 900, 'input:list', { items: ['a boat', 'a gull'] }),
    createNode('Picture', 1200, 'generate:sandbox', { seed: 3, width: 96, height: 64 }),
  ],
  edges: [
    { id: 'a', source: 'text', target: 'parse', sourceHandle: 'out-text', targetHandle: 'in-json' },
    { id: 'b', source: 'text', target: 'ask', sourceHandle: 'out-text', targetHandle: 'in-input' },
    { id: 'c', source: 'list', target: 'picture', sourceHandle: 'out-list', targetHandle: 'in-prompt' },
  ],
};

const VIDEO: SentGraph = { nodes: [createNode('Video', 0, 'video:renderer', {})], edges: [] };
