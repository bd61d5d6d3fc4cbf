// Tests where the editor puts its parts: one bar, panels beside the board, and banners that cover nothing.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { applyView, BROWSER_MISSING_REASON, dragOnto, takeScreenshot, VIEWS } from '../../support/browser.ts';
import { setUpFlowTests } from './flow-browser.ts';
import { boardOf, clickTool, fillIdea, nodeOf, PICTURE, untilSaved } from './flow-page.ts';

describe('the layout of the editor', { skip: BROWSER_MISSING_REASON }, () => {
  const flow = setUpFlowTests();

  it('puts the color picker at the end of the input, above the hint', async () => {
    const data = { label: 'Resize', category: 'utility', nodeType: 'utility:image_resize', config: {} };
    const id = await flow.create({
      nodes: [{ id: 'resize', type: 'basedNode', position: { x: 0, y: 0 }, data }],
      edges: [],
    });
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await nodeOf(page, 'Resize').click({ position: { x: 90, y: 20 } });
    const inspector = page.getByRole('complementary', { name: 'Inspector' });
    await inspector.getByText('leaves empty').waitFor();
    // Both at once, because parts above them may still be loading.
    const [input, picker] = await inspector
      .getByRole('textbox', { name: 'Background', exact: true })
      .or(inspector.locator('input[type=color]'))
      .evaluateAll(elements => elements.map(element => element.getBoundingClientRect().toJSON() as DOMRect));
    assert.ok(input && picker);
    assert.ok(Math.abs(input.y - picker.y) < 2, JSON.stringify({ input, picker }));
    assert.ok(picker.x >= input.x + input.width);
  });

  it('shows the whole card of an automation with a long name in the panel', async () => {
    const id = await flow.create(PICTURE);
    const name = 'Pictures for the newsletter of each weekday';
    await flow.send('POST', `/workflows/${id}/schedules`, { name, cron: '0 9 * * *', timeZone: 'UTC' });
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await clickTool(page, 'Automations');
    const panel = page.getByRole('complementary', { name: 'Automations' });
    const menu = await panel.getByRole('listitem').getByRole('button').first().boundingBox();
    const card = await panel.getByRole('listitem').boundingBox();
    assert.ok(menu && card);
    assert.ok(menu.x + menu.width <= card.x + card.width, JSON.stringify({ menu, card }));
  });

  it('shows the name of a low node in the map of an app', async () => {
    const [low, high] = [
      { id: 'low', label: 'Idea', nodeType: 'input:text', x: 0, y: 0 },
      { id: 'high', label: 'Far away', nodeType: 'input:text', x: 12_000, y: 2400 },
    ].map(({ id, label, nodeType, x, y }) => ({
      id,
      type: 'basedNode',
      position: { x, y },
      data: { label, category: 'input', nodeType, config: { value: 'a boat' } },
    }));
    const id = await flow.create({ nodes: [low as object, high as object], edges: [] });
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await clickTool(page, 'Share');
    await page.getByRole('tab', { name: 'App' }).click();
    const node = page.getByRole('dialog', { name: 'Share' }).getByTitle('Idea');
    const [box, text] = [await node.boundingBox(), await node.getByText('Idea').boundingBox()];
    assert.ok(box && text);
    assert.ok(text.y >= box.y && text.y + text.height <= box.y + box.height, JSON.stringify({ box, text }));
    // A cut off line is lower than its text.
    assert.ok(text.height >= 14, JSON.stringify({ box, text }));
    await page.setViewportSize({ width: 390, height: 844 });
    const map = await page.getByRole('group', { name: 'Click inputs and results' }).boundingBox();
    const area = await node.locator('..').boundingBox();
    assert.ok(map && area && area.y + area.height <= map.y + map.height, JSON.stringify({ map, area }));
  });

  it('has one bar of at most 56 pixels with labeled tools', async () => {
    const id = await flow.create(PICTURE);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    const bar = page.getByRole('toolbar', { name: 'Workflow' });
    const box = await bar.boundingBox();
    assert.ok(box && box.y === 0 && box.height <= 56, JSON.stringify(box));
    assert.equal(await page.getByRole('banner').count(), 0);
    assert.equal((await boardOf(page).boundingBox())?.y, box.height);
    for (const width of [1440, 1100]) {
      await page.setViewportSize({ width, height: 900 });
      for (const label of ['Add node', 'Arrange', 'Run history', 'Versions', 'Share', 'Export', 'Run'])
        assert.equal(await bar.getByText(label, { exact: true }).count(), 1, `${label} at ${width}`);
      assert.deepEqual(await findOverflowingControls(page), []);
    }
    await bar.getByRole('button', { name: 'Open menu' }).click();
    await page.getByRole('menuitem', { name: 'Templates' }).waitFor();
    await page.getByRole('menuitem', { name: 'Sign out' }).waitFor();
    await page.keyboard.press('Escape');
    for (const width of [1099, 390]) {
      await page.setViewportSize({ width, height: 844 });
      await bar.getByRole('button', { name: 'More tools' }).click();
      for (const name of ['Arrange', 'Run history', 'Versions', 'Share', 'Export'])
        await page.getByRole('menuitem', { name, exact: true }).waitFor();
      await page.keyboard.press('Escape');
      assert.deepEqual(await findOverflowingControls(page), []);
    }
    const name = page.getByRole('textbox', { name: 'Workflow name' });
    await name.fill('A product film');
    await untilSaved(page);
    await takeScreenshot(page, 'flow-bar', VIEWS[0]);
    assert.ok(await name.evaluate(field => field.scrollWidth <= field.clientWidth), 'the name is not cut');
    await bar.getByRole('button', { name: 'More tools' }).click();
    await page.getByRole('menuitem', { name: 'Undo' }).click();
    assert.notEqual(await name.inputValue(), 'A product film');
  });

  it('lists runs in a panel beside the board', async () => {
    const id = await flow.create(PICTURE);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await clickTool(page, 'Run');
    await flow.untilRuns(id, 1);
    await fillIdea(page, 'a whale');
    await untilSaved(page);
    await clickTool(page, 'Run history');
    const panel = page.getByRole('complementary', { name: 'Run history' });
    const row = panel.getByRole('listitem').first();
    await row.locator('img').waitFor();
    await row.getByText('Free · Ana').waitFor();
    await row.getByText('a boat').waitFor();
    await assertApart(page, ['complementary[Run history]']);
    await takeScreenshot(page, 'flow-run-history', VIEWS[2]);
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
    await page.waitForFunction(() => document.activeElement?.textContent === 'Run history');
    assert.deepEqual(testPage.errors, []);
  });

  it('opens the palette at the pointer without dimming the page', async () => {
    const id = await flow.create(PICTURE);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await page.mouse.dblclick(400, 200);
    const dialog = page.getByRole('dialog', { name: 'Add node' });
    const box = await dialog.boundingBox();
    assert.ok(box && Math.abs(box.x - 400) < 5 && Math.abs(box.y - 200) < 5, JSON.stringify(box));
    const backdrop = await dialog.evaluate(
      element => getComputedStyle(element, '::backdrop').backgroundColor,
    );
    assert.equal(backdrop, 'rgba(0, 0, 0, 0)');
    const options = dialog.getByRole('option');
    await dialog.getByRole('button', { name: 'Models', exact: true }).click();
    await options.filter({ hasText: 'Needs a key' }).first().waitFor();
    await options.filter({ hasText: 'Text template' }).first().waitFor({ state: 'detached' });
    assert.deepEqual(
      await dialog.evaluate(element =>
        [...element.querySelectorAll('[role="option"] span')]
          .filter(({ scrollWidth, clientWidth }) => clientWidth > 2 && scrollWidth > clientWidth + 1)
          .map(({ textContent }) => textContent),
      ),
      [],
    );
    await takeScreenshot(page, 'flow-palette', VIEWS[2]);
    await page.keyboard.press('Escape');
  });

  it('renders the start of a long palette, and the rest for the keyboard and for scrolling', async () => {
    const id = await flow.create(PICTURE);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await clickTool(page, 'Add node');
    const dialog = page.getByRole('dialog', { name: 'Add node' });
    const options = dialog.getByRole('option');
    await options.first().waitFor();
    assert.equal(await options.count(), 30);
    const total = Number(await options.first().getAttribute('aria-setsize'));
    assert.ok(total > 200, `${total} options`);
    assert.equal(await options.first().getAttribute('aria-posinset'), '1');
    await dialog.getByRole('listbox').evaluate(list => list.scrollTo(0, list.scrollHeight));
    await options.nth(40).waitFor();
    // The last option follows the first one backwards.
    const combobox = dialog.getByRole('combobox');
    await combobox.press('ArrowUp');
    const active = dialog.locator('[role="option"][aria-selected="true"]');
    assert.equal(await active.getAttribute('aria-posinset'), String(total));
    assert.equal(await combobox.getAttribute('aria-activedescendant'), await active.getAttribute('id'));
    assert.equal(
      await active.evaluate(option => {
        const { top, bottom } = option.getBoundingClientRect();
        const list = option.parentElement?.getBoundingClientRect();
        return list !== undefined && top >= list.top && bottom <= list.bottom;
      }),
      true,
    );
    // Another search starts at the top.
    await combobox.fill('image');
    await options.nth(29).waitFor();
    assert.equal(await options.count(), 30);
    assert.equal(await dialog.getByRole('listbox').evaluate(list => list.scrollTop), 0);
    assert.deepEqual(testPage.errors, []);
  });

  it('keeps the tools of the bar in place while the price is computed', async () => {
    const id = await flow.create(PICTURE);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    const price = page.getByRole('status', { name: 'Price' });
    await price.filter({ hasText: 'Free' }).waitFor();
    const tool = page.getByRole('toolbar', { name: 'Workflow' }).getByRole('button', { name: 'Versions' });
    const before = await tool.boundingBox();
    const isChecked = Promise.withResolvers<void>();
    await page.route('**/estimate', async route => {
      await isChecked.promise;
      await route.continue();
    });
    await fillIdea(page, 'a raft');
    await price.filter({ hasNotText: 'Free' }).waitFor({ state: 'attached' });
    assert.deepEqual(await tool.boundingBox(), before);
    isChecked.resolve();
    await price.filter({ hasText: 'Free' }).waitFor();
    assert.deepEqual(await tool.boundingBox(), before);
  });

  it('shows the minimap above nodes only while the view moves', async () => {
    const id = await flow.create(PICTURE);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    const minimap = page.getByLabel('Minimap');
    // The whole board is in view.
    await minimap.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Zoom in' }).click();
    const board = await boardOf(page).boundingBox();
    assert.ok(board);
    /** Drags the board by its empty top, so that the node is this far from the bottom left corner. */
    const moveTo = async (left: number, bottom: number): Promise<void> => {
      const box = await nodeOf(page, 'Idea').boundingBox();
      assert.ok(box);
      const dx = board.x + left - box.x;
      const dy = board.y + board.height - bottom - (box.y + box.height);
      const [x, y] = [dx > 0 ? board.x + 30 : board.x + board.width - 30, board.y + 30];
      await page.mouse.move(x, y);
      await page.mouse.down();
      await page.mouse.move(x + dx, y + dy, { steps: 4 });
      await page.mouse.up();
    };
    await moveTo(-600, 400);
    await minimap.waitFor();
    await moveTo(40, 80);
    await minimap.waitFor({ state: 'hidden' });
    await moveTo(-600, 400);
    await minimap.waitFor();
  });

  it('docks the library, from which nodes are dragged onto the board', async () => {
    const id = await flow.create(PICTURE);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await boardOf(page).focus();
    await page.keyboard.press('l');
    const library = page.getByRole('complementary', { name: 'Library' });
    await library.getByRole('textbox').or(library.getByRole('searchbox')).first().fill('Delay');
    await dragOnto(library.getByRole('button', { name: 'Delay' }), boardOf(page), { x: 500, y: 650 });
    const box = await nodeOf(page, 'Delay').boundingBox();
    const board = await boardOf(page).boundingBox();
    assert.ok(box && board && Math.abs(box.x - board.x - 500) < 80, JSON.stringify({ box, board }));
    for (const name of ['Templates', 'Media']) await library.getByRole('tab', { name }).click();
    await assertApart(page, ['complementary[Library]']);
    await boardOf(page).focus();
    await page.keyboard.press('l');
    await library.waitFor({ state: 'detached' });
    assert.deepEqual(testPage.errors, []);
  });

  it('shows the outline first on a phone and the canvas after one tap', async () => {
    const id = await flow.create(PICTURE);
    await flow.send('POST', `/workflows/${id}/run`, {});
    await flow.untilRuns(id, 1);
    const [run] = await flow.runs(id);
    await using testPage = await flow.browser.open(flow.service.url, VIEWS[1], flow.cookie);
    const { page } = testPage;
    await page.goto(`/flow/${id}`);
    const nodes = page.getByRole('list', { name: 'Outline' });
    await nodes.getByRole('listitem').nth(2).waitFor();
    const buttons = await nodes.getByRole('listitem').getByRole('button').allInnerTexts();
    // Results that are already loaded have buttons without text.
    assert.deepEqual(
      buttons.filter(text => text !== ''),
      ['Idea\nText', 'Picture\nSandbox image', 'Preview\nPreview'],
    );
    const figure = nodes.getByRole('figure', { name: 'Result of Picture' });
    await figure
      .locator(`img[src="${run?.nodeStates.find(({ nodeId }) => nodeId === 'picture')?.outputUrl}"]`)
      .waitFor();
    await takeScreenshot(page, 'flow-outline', VIEWS[1]);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    await page.getByRole('button', { name: 'Canvas', exact: true }).click();
    await nodeOf(page, 'Picture').waitFor();
    assert.deepEqual(testPage.errors, []);
  });

  it('gives the bar of a phone to the name while changes are not saved yet', async () => {
    const id = await flow.create(PICTURE);
    await using testPage = await flow.browser.open(flow.service.url, VIEWS[1], flow.cookie);
    const { page } = testPage;
    await page.route(`**/api/v1/workflows/${id}`, route =>
      route.request().method() === 'PUT' ? undefined : route.continue(),
    );
    await page.goto(`/flow/${id}`);
    await page.getByRole('list', { name: 'Outline' }).getByRole('button', { name: 'Idea' }).click();
    const name = page.getByRole('textbox', { name: 'Workflow name' });
    const saved = await name.boundingBox();
    await page.getByRole('textbox', { name: 'Text', exact: true }).fill('a tug');
    await page
      .getByRole('status', { name: 'Saving' })
      .getByText(/Unsaved|Saving/)
      .waitFor({ state: 'attached' });
    assert.deepEqual(await name.boundingBox(), saved);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  it('shows the first steps beside the board on each width', async () => {
    const id = await flow.create(PICTURE);
    for (const view of [VIEWS[0], VIEWS[2]]) {
      await using testPage = await flow.browser.open(flow.service.url, view, flow.cookie);
      const { page } = testPage;
      testPage.discard();
      await page.addInitScript(() =>
        localStorage.setItem('graphwright-first-steps', JSON.stringify({ isOpen: true, done: [] })),
      );
      await page.goto(`/flow/${id}`);
      const steps = page.getByRole('complementary', { name: 'First steps' });
      await steps.waitFor();
      if (view.width === 390) await page.getByRole('button', { name: 'Canvas', exact: true }).click();
      else await steps.getByRole('button', { name: /^Run a template/ }).waitFor();
      await assertApart(page, ['complementary[First steps]']);
      await takeScreenshot(page, 'flow-first-steps', view);
      assert.deepEqual(testPage.errors, []);
    }
  });

  it('shows all cells of a table on a phone as cards', async () => {
    await using testPage = await flow.browser.open(flow.service.url, VIEWS[0], flow.cookie);
    const { page } = testPage;
    await page.goto('/settings/users');
    const table = page.getByRole('table');
    await table.getByRole('cell', { name: 'Status Active' }).first().waitFor();
    assert.deepEqual(
      await table.evaluate(element =>
        [...element.querySelectorAll('td, th')]
          .filter(cell => cell.closest('thead') === null)
          .filter(cell => cell.getBoundingClientRect().right > innerWidth)
          .map(({ textContent }) => textContent),
      ),
      [],
    );
  });

  it('shows one visible primary button in each tab of the share dialog', async () => {
    const id = await flow.create(PICTURE);
    for (const view of [{ ...VIEWS[2], height: 500 }, VIEWS[0]]) {
      await using testPage = await flow.open(id, view);
      const { page } = testPage;
      await clickTool(page, 'Share');
      const dialog = page.getByRole('dialog', { name: 'Share' });
      for (const [tab, name] of Object.entries({ People: 'Invite', Publish: 'Publish' })) {
        await dialog.getByRole('tab', { name: tab }).click();
        const button = dialog.getByRole('button', { name, exact: true });
        const box = await button.boundingBox();
        assert.ok(box && box.y + box.height <= view.height && box.x + box.width <= view.width, name);
        assert.equal(await dialog.locator('[data-variant="primary"]').count(), 1);
        if (view.height > 500) await takeScreenshot(page, `flow-share-${tab}`, view);
      }
      await dialog.getByRole('tab', { name: 'People' }).focus();
      await page.keyboard.press('Enter');
      await dialog.getByRole('button', { name: 'Invite', exact: true }).waitFor();
      await page.keyboard.press('ArrowRight');
      await dialog.locator('[role="tab"]:focus', { hasText: 'Publish' }).waitFor();
      await page.keyboard.press('Enter');
      await dialog.getByRole('button', { name: 'Publish', exact: true }).waitFor();
      assert.deepEqual(testPage.errors, []);
    }
  });

  it('never covers a node or a control with a banner', async () => {
    const id = await flow.create(PICTURE);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await clickTool(page, 'Run');
    await page.getByRole('region', { name: 'Run' }).getByText('Completed').waitFor();
    await nodeOf(page, 'Picture').click({ position: { x: 90, y: 20 } });
    await page.getByRole('button', { name: 'Run to here' }).click();
    await page.getByRole('region', { name: 'Run part of the workflow' }).waitFor();
    await assertApart(page, ['region[Run]', 'region[Run part of the workflow]', 'complementary[Inspector]']);
  });

  it('fits into the window below the banner that the browser is offline', async () => {
    const id = await flow.create(PICTURE);
    await using testPage = await flow.open(id);
    const { page, context } = testPage;
    for (const view of VIEWS.slice(0, 3)) {
      await applyView(page, view);
      await context.setOffline(true);
      await page.getByText('You are offline.').waitFor();
      await takeScreenshot(page, 'flow-offline', view);
      const { scrollHeight, innerHeight } = await page.evaluate(() => ({
        scrollHeight: document.documentElement.scrollHeight,
        innerHeight: window.innerHeight,
      }));
      assert.ok(scrollHeight <= innerHeight, `${scrollHeight} of ${innerHeight} px`);
      await context.setOffline(false);
      await page.getByText('You are offline.').waitFor({ state: 'detached' });
    }
  });
});

/** Fails if an element, given as `role[name]`, overlaps the board. */
async function assertApart(page: Page, names: readonly string[]): Promise<void> {
  const locators = names.map(name => {
    const [, role = '', label = ''] = /^(\w+)\[(.+)\]$/.exec(name) ?? [];
    return page.getByRole(role as 'region', { name: label, exact: true });
  });
  const elements = await Promise.all([boardOf(page), ...locators].map(each => each.elementHandle()));
  // Measures all at the same time, because what arrives between two measurements may move the board.
  const [board, ...boxes] = await page.evaluate(
    all => all.map(element => element?.getBoundingClientRect().toJSON() as DOMRect),
    elements,
  );
  assert.ok(board);
  for (const [index, name] of names.entries()) {
    const box = boxes[index];
    assert.ok(box, name);
    const isApart =
      box.x >= board.x + board.width ||
      box.x + box.width <= board.x ||
      box.y >= board.y + board.height ||
      box.y + box.height <= board.y;
    assert.ok(isApart, `${name} ${JSON.stringify(box)} overlaps the board ${JSON.stringify(board)}`);
  }
}

/** Returns the controls of the bar that extend beyond the bar or the window. */
const findOverflowingControls = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('[role="toolbar"] button, [role="toolbar"] input')]
      .filter(element => {
        const { left, right, top, bottom, width } = element.getBoundingClientRect();
        return width > 0 && (left < 0 || right > innerWidth || top < 0 || bottom > 56);
      })
      .map(element => element.getAttribute('aria-label') ?? element.textContent ?? ''),
  );
