// Tests how people configure a ComfyUI node: its file, the dialog with its inputs and outputs, and the download.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import type { Json, JsonObject } from '../../../src/graph/types.ts';
import { TEXT_TO_IMAGE } from '../../graph/comfyui/ui-files.ts';
import { BROWSER_MISSING_REASON, checkLook } from '../../support/browser.ts';
import { waitUntil } from '../../support/processes.ts';
import { setUpFlowTests } from './flow-browser.ts';
import { addNode, boardOf, clickTool, type FlowTests, nodeOf, PICTURE } from './flow-page.ts';

const FILE = {
  name: 'portrait.json',
  mimeType: 'application/json',
  buffer: Buffer.from(JSON.stringify(TEXT_TO_IMAGE)),
};

const TEXT = { ...PICTURE, nodes: PICTURE.nodes.slice(0, 1), edges: [] };

const inspectorOf = (page: Page) => page.getByRole('complementary', { name: 'Inspector' });
const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Inputs and outputs' });

async function readNode(flow: FlowTests, id: string) {
  const { nodes } = (await flow.read(id)) as unknown as {
    nodes: readonly { data: { nodeType: string; config: JsonObject; inputs?: Json; outputs?: Json } }[];
  };
  return nodes.find(({ data }) => data.nodeType === 'comfyui:workflow')?.data;
}

/** Returns the ids of the ports that the service stored. */
const getPortIds = (ports: Json | undefined): readonly string[] =>
  (ports as readonly { readonly id: string }[] | undefined)?.map(({ id }) => id) ?? [];

/** Adds the node from the palette, and drops focus on it, so that the inspector shows it. */
async function addComfyNode(page: Page): Promise<void> {
  await clickTool(page, 'Add node');
  await addNode(page, 'ComfyUI workflow');
  await inspectorOf(page).getByRole('button', { name: 'Choose a file' }).waitFor();
}

async function chooseFile(page: Page): Promise<void> {
  await inspectorOf(page).locator('input[type=file]').setInputFiles(FILE);
  await inspectorOf(page).getByText('7 nodes').waitFor();
}

describe('a ComfyUI node', { skip: BROWSER_MISSING_REASON }, () => {
  const flow = setUpFlowTests();

  it('reads a file, and its values become ports and fields', async () => {
    const id = await flow.create(TEXT);
    await using testPage = await flow.open(id);
    const { page, errors } = testPage;
    await addComfyNode(page);
    await chooseFile(page);
    await inspectorOf(page).getByLabel('Negative prompt', { exact: true }).waitFor();
    await inspectorOf(page).getByRole('button', { name: 'Inputs and outputs' }).click();
    const dialog = dialogOf(page);
    await dialog.getByRole('group', { name: 'Graph' }).locator('canvas').waitFor();
    await dialog.getByLabel('Seed of KSampler').selectOption('field');
    await dialog.getByLabel('Steps of KSampler').selectOption('port');
    await dialog.getByLabel('Label of Steps').fill('How many steps');
    await dialog.getByLabel('Prompt of Prompt').selectOption('none');
    await dialog.getByRole('searchbox').fill('sampler name');
    await dialog.getByLabel('Sampler name of KSampler').selectOption('field');
    await checkLook(testPage, 'comfyui-inputs');
    // Escape would clear the search first.
    await dialog.getByRole('button', { name: 'Close' }).click();
    await dialog.waitFor({ state: 'detached' });
    const seed = inspectorOf(page).getByLabel('Seed', { exact: true });
    assert.equal(await seed.getAttribute('placeholder'), '42');
    await seed.fill('7');
    await waitUntil('the seed to be saved', async () => (await readNode(flow, id))?.config.seed === 7);
    const data = await readNode(flow, id);
    assert.deepEqual(getPortIds(data?.inputs), ['negative_prompt', 'steps']);
    assert.deepEqual(getPortIds(data?.outputs), ['image']);
    assert.deepEqual(errors, []);
  });

  it('is configured with the keyboard alone', async () => {
    const id = await flow.create(TEXT);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await addComfyNode(page);
    await chooseFile(page);
    await inspectorOf(page).getByRole('button', { name: 'Inputs and outputs' }).focus();
    await page.keyboard.press('Enter');
    const graph = dialogOf(page).getByRole('group', { name: 'Graph' });
    await graph.focus();
    const values = dialogOf(page).getByRole('list', { name: 'Values' });
    // Producers come before consumers; the sampler is the fifth.
    for (let press = 0; press < 7; press++) {
      await page.keyboard.press('ArrowRight');
      if (await dialogOf(page).getByRole('heading', { name: 'KSampler' }).isVisible()) break;
    }
    await values.getByLabel('Cfg of KSampler').focus();
    await page.keyboard.press('f');
    assert.equal(await values.getByLabel('Cfg of KSampler').inputValue(), 'field');
    await dialogOf(page).getByRole('button', { name: 'All inputs and outputs' }).press('Enter');
    await dialogOf(page).getByLabel('Label of Cfg').waitFor();
    await page.keyboard.press('Escape');
    await dialogOf(page).waitFor({ state: 'detached' });
    await inspectorOf(page).getByLabel('Cfg', { exact: true }).waitFor();
  });

  it('removes the connections of a port that is removed, and undo restores both', async () => {
    const { workflow } = await flow.send<{ workflow: { id: string } }>('POST', '/workflows/import', {
      source: TEXT_TO_IMAGE,
      name: 'Fox',
    });
    await using testPage = await flow.open(workflow.id);
    const { page } = testPage;
    await nodeOf(page, 'Fox').click({ position: { x: 90, y: 20 } });
    await inspectorOf(page).getByRole('button', { name: 'Inputs and outputs' }).click();
    const countEdges = async (): Promise<number> =>
      ((await flow.read(workflow.id)) as unknown as { edges: readonly unknown[] }).edges.length;
    assert.equal(await countEdges(), 3);
    await dialogOf(page).getByLabel('Prompt of Prompt').selectOption('none');
    await waitUntil('the connection to be removed', async () => (await countEdges()) === 2);
    await page.keyboard.press('Escape');
    await boardOf(page).focus();
    await page.keyboard.press('Control+z');
    await waitUntil('the connection to return', async () => (await countEdges()) === 3);
  });

  it('takes a dropped file, refuses others by a sentence, and downloads the graph with current values', async () => {
    const id = await flow.create(TEXT);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await addComfyNode(page);
    const drop = (name: string, content: string): Promise<void> =>
      nodeOf(page, 'ComfyUI workflow').evaluate(
        (element, file) => {
          const dataTransfer = new DataTransfer();
          dataTransfer.items.add(new File([file.content], file.name, { type: 'application/json' }));
          element.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
        },
        { name, content },
      );
    await drop('notes.json', '{"a": 1}');
    await page.getByText(/The file is of no known format/).waitFor();
    await drop('portrait.json', JSON.stringify(TEXT_TO_IMAGE));
    await inspectorOf(page).getByText('7 nodes').waitFor();
    await inspectorOf(page).getByLabel('Prompt', { exact: true }).fill('a whale');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      inspectorOf(page).getByRole('button', { name: 'Open in ComfyUI' }).click(),
    ]);
    const file = JSON.parse(await readFile(await download.path(), 'utf8')) as {
      nodes: readonly { id: number; widgets_values: readonly unknown[] }[];
      groups: readonly unknown[];
    };
    assert.deepEqual(file.nodes.find(node => node.id === 6)?.widgets_values, ['a whale']);
    assert.equal(file.groups.length, 1);
  });

  it('and its inputs appear where a file is dropped on the board, and a malformed file is refused', async () => {
    const id = await flow.create(TEXT);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    const drop = (content: object): Promise<void> =>
      boardOf(page).evaluate((element, text) => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File([text], 'fox.json', { type: 'application/json' }));
        const { left, top } = element.getBoundingClientRect();
        const at = { clientX: left + 300, clientY: top + 200 };
        element.dispatchEvent(
          new DragEvent('drop', { ...at, dataTransfer, bubbles: true, cancelable: true }),
        );
      }, JSON.stringify(content));
    await drop({ ...TEXT_TO_IMAGE, nodes: [{ id: 1 }] });
    await page.getByText(/The type of a node must be a text, at \/nodes\/0\/type/).waitFor();
    await drop(TEXT_TO_IMAGE);
    await nodeOf(page, 'fox').waitFor();
    await nodeOf(page, 'Negative prompt').waitFor();
    await waitUntil('the nodes to be saved', async () => (await readNode(flow, id)) !== undefined);
    assert.deepEqual(getPortIds((await readNode(flow, id))?.inputs), ['prompt', 'negative_prompt']);
  });
});
