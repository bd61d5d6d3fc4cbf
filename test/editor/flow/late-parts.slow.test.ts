// Tests that nothing the user does is lost while a part of the page is still loading or not rendered yet.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { BROWSER_MISSING_REASON } from '../../support/browser.ts';
import { setUpFlowTests } from './flow-browser.ts';
import { boardOf, nodeOf, PICTURE, type SentGraph, untilRendered, untilSaved } from './flow-page.ts';

describe('parts of the page that load late', { skip: BROWSER_MISSING_REASON }, () => {
  const flow = setUpFlowTests();

  it('open a menu that was pressed before its script was loaded', async () => {
    const id = await flow.create(PICTURE);
    await using testPage = await flow.browser.open(flow.service.url, undefined, flow.cookie);
    const { page } = testPage;
    const firstHold = await hold(page, 'DropdownMenu');
    await page.goto(`/flow/${id}`);
    const button = page.getByRole('button', { name: 'Open menu' });
    await button.focus();
    await button.click();
    firstHold.release();
    await page.getByRole('menuitem', { name: 'Templates' }).waitFor();
    await page.keyboard.press('Escape');
    // The focus returns a moment after the menu is gone.
    await page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'Open menu');

    const secondHold = await hold(page, 'DropdownMenu');
    await page.goto('/workflows');
    const account = page.getByRole('button', { name: 'Account: Ana' });
    await account.focus();
    await secondHold.isHeld;
    await secondHold.releaseAndWait();
    assert.equal(await nameOfFocused(page), 'Account: Ana');
    assert.equal(await page.getByRole('menu').count(), 0);
    await page.keyboard.press('Enter');
    await page.getByRole('menu').waitFor();

    const thirdHold = await hold(page, 'DropdownMenu');
    await page.reload();
    await account.focus();
    for (const key of ['Enter', 'ArrowDown']) await page.keyboard.press(key);
    thirdHold.release();
    await page.getByRole('menu').waitFor();
    assert.deepEqual(testPage.errors, []);
  });

  it('keep the board as it is while its menu is loading', async () => {
    const id = await flow.create(PICTURE);
    await using testPage = await flow.browser.open(flow.service.url, undefined, flow.cookie);
    const { page } = testPage;
    const menu = await hold(page, 'DropdownMenu');
    await page.goto(`/flow/${id}`);
    const node = nodeOf(page, 'Idea');
    await node.focus();
    const before = await node.boundingBox();
    for (const key of ['.', 'ArrowDown', 'Delete']) await page.keyboard.press(key);
    menu.release();
    await page.getByRole('menuitem', { name: 'Duplicate' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('menu').waitFor({ state: 'detached' });
    assert.deepEqual(await node.boundingBox(), before);
    assert.deepEqual(testPage.errors, []);
  });

  it('load menus only for users who point to them', async () => {
    await using testPage = await flow.browser.open(flow.service.url, undefined, flow.cookie);
    const { page } = testPage;
    const menus = await hold(page, 'DropdownMenu');
    await page.goto('/workflows');
    await page.getByRole('button', { name: 'New workflow' }).waitFor();
    await untilRendered(page);
    assert.deepEqual(menus.heldUrls, []);
    await page.getByRole('button', { name: 'Account: Ana' }).hover();
    await menus.isHeld;
    menus.release();
    await page.getByRole('button', { name: 'Account: Ana' }).click();
    await page.getByRole('menu').waitFor();
    assert.deepEqual(testPage.errors, []);
  });

  it('do not take the focus from a JSON field when its editor is loaded', async () => {
    const id = await flow.create(JSON_NODE);
    await using testPage = await flow.browser.open(flow.service.url, undefined, flow.cookie);
    const { page } = testPage;
    const editor = await hold(page, 'cm-content');
    await page.goto(`/flow/${id}`);
    await nodeOf(page, 'Data').click({ position: { x: 90, y: 20 } });
    const inspector = page.getByRole('complementary', { name: 'Inspector' });
    const field = inspector.getByRole('textbox', { name: 'JSON', exact: true });
    await field.focus();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('{"lens": 3');
    assert.equal(await field.getAttribute('aria-invalid'), 'true');
    await editor.releaseAndWait();
    for (const key of ['Backspace', '7', '}', 'n', 'Backspace']) await page.keyboard.press(key);
    assert.equal(await page.getByRole('dialog').count(), 0);
    await inspector.getByLabel('Label').focus();
    await inspector.locator('.cm-content').getByText('7').waitFor();
    await untilSaved(page);
    assert.deepEqual((await flow.read(id)).nodes[0]?.data.config, { value: { lens: 7 } });
    assert.deepEqual(testPage.errors, []);
  });

  it('keep the player of a sound when its waveform is loaded', async () => {
    const dataUrl = `data:audio/wav;base64,${createWav().toString('base64')}`;
    const { url } = await flow.send<{ url: string }>('POST', '/media/upload', { dataUrl });
    const id = await flow.create(nodeWith('Sound', 'input:audio', { url }));
    await using testPage = await flow.browser.open(flow.service.url, undefined, flow.cookie);
    const { page } = testPage;
    const waveform = await hold(page, 'OfflineAudioContext');
    await page.goto(`/flow/${id}`);
    const player = page.locator('audio').first();
    await player.waitFor();
    await player.evaluate(audio => audio.setAttribute('data-playing', ''));
    waveform.release();
    await page.locator('svg:has(rect[width="2"])').first().waitFor();
    assert.equal(await page.locator('audio[data-playing]').count(), 1);
    assert.deepEqual(testPage.errors, []);
  });

  it('receive the keys that are pressed right after rename, add and find', async () => {
    const id = await flow.create(PICTURE);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await nodeOf(page, 'Idea').focus();
    assert.equal(await pressAndRead(page, 'F2'), 'Idea');
    await boardOf(page).focus();
    await page.keyboard.press('n');
    await page.keyboard.type('Preview');
    await page.getByRole('option', { name: 'Preview', selected: true }).waitFor();
    assert.match(await pressAndRead(page, 'Enter'), /^preview-/);
    await page.keyboard.press('Control+f');
    await page.keyboard.type('Picture');
    await page.getByRole('option', { name: 'Picture', selected: true }).waitFor();
    assert.equal(await pressAndRead(page, 'Enter'), 'picture');
    await nodeOf(page, 'Idea').focus();
    await page.keyboard.press('n');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    assert.equal(await pressAndRead(page, 'F13'), 'idea');
    assert.deepEqual(testPage.errors, []);
  });

  it('accept the same file a second time', async () => {
    const id = await flow.create(nodeWith('Photo', 'input:image', {}));
    await using testPage = await flow.open(id);
    const { page } = testPage;
    const input = nodeOf(page, 'Photo').locator('input[type=file]');
    const buffer = Buffer.from(PIXEL, 'base64');
    await input.setInputFiles({ name: 'photo.png', mimeType: 'image/png', buffer });
    await page.getByRole('figure', { name: 'Result of Photo' }).locator('img').waitFor();
    // A browser reports a change only if the value differs.
    assert.equal(await input.inputValue(), '');
  });
});

/** Delays the scripts that contain the text until `release`. `releaseAndWait` also waits until the scripts have run. */
async function hold(
  page: Page,
  text: string,
): Promise<{
  readonly heldUrls: readonly string[];
  readonly isHeld: Promise<void>;
  readonly release: () => void;
  readonly releaseAndWait: () => Promise<void>;
}> {
  const released = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const heldUrls: string[] = [];
  await page.route('**/assets/*.js', async route => {
    const response = await route.fetch();
    if (!(await response.text()).includes(text)) return route.fulfill({ response });
    heldUrls.push(route.request().url());
    held.resolve();
    await released.promise;
    return route.fulfill({ response });
  });
  return {
    heldUrls,
    isHeld: held.promise,
    release: released.resolve,
    releaseAndWait: async () => {
      released.resolve();
      await page.evaluate(urls => Promise.all(urls.map(url => import(url))), heldUrls);
    },
  };
}

/** Dispatches a key and returns, in the same task, the value or the node id of the focused element. */
const pressAndRead = (page: Page, key: string): Promise<string> =>
  page.evaluate(pressed => {
    document.activeElement?.dispatchEvent(
      new KeyboardEvent('keydown', { key: pressed, bubbles: true, cancelable: true }),
    );
    const element = document.activeElement as HTMLInputElement | null;
    return element?.value ?? element?.dataset.nodeId ?? String(element?.tagName);
  }, key);

const nameOfFocused = (page: Page): Promise<string | null | undefined> =>
  page.evaluate(() => document.activeElement?.getAttribute('aria-label'));

function nodeWith(label: string, nodeType: string, config: object): SentGraph {
  const [category] = nodeType.split(':');
  const data = { label, category, nodeType, config };
  return {
    nodes: [{ id: label.toLowerCase(), type: 'basedNode', position: { x: 0, y: 0 }, data }],
    edges: [],
  };
}

const JSON_NODE = nodeWith('Data', 'input:json', { value: { lens: 35 } });

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** A tenth of a second of a sawtooth. */
function createWav(): Buffer {
  const samples = Buffer.from(Uint8Array.from({ length: 800 }, (_, index) => index & 255));
  const header = Buffer.from(
    '52494646000000005741564566 6d7420100000000100010 0401f0000401f00000100080064617461 00000000'.replaceAll(
      ' ',
      '',
    ),
    'hex',
  );
  header.writeUInt32LE(36 + samples.length, 4);
  header.writeUInt32LE(samples.length, 40);
  return Buffer.concat([header, samples]);
}
