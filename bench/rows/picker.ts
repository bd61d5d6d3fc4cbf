// Measures the model picker of the editor with 300 models: opening, and searching with each key.
import type { Page } from 'playwright-core';
import { isModel } from '../../src/graph/catalog.ts';
import { BROWSER_MISSING_REASON, openBrowser, VIEWS } from '../../test/support/browser.ts';
import { type Meter, openMeter } from '../board/gestures.ts';
import { median, quantile } from '../load.ts';
import type { Row } from '../row.ts';
import { makeFolder, removeFolder, startBenchService, storeWorkflow } from '../service.ts';
import { signIn, withSession } from '../sign-in.ts';

const MODELS = 300;
const GRAPH = {
  nodes: [
    {
      id: 'text',
      type: 'basedNode',
      position: { x: 0, y: 0 },
      data: { label: 'Text', category: 'input', nodeType: 'input:text', config: {} },
    },
  ],
  edges: [],
};
const TYPED_TEXT = 'remove the background of a video';

export async function* runPickerRows(isShort: boolean): AsyncGenerator<Row> {
  if (BROWSER_MISSING_REASON !== false) {
    process.stderr.write(`${BROWSER_MISSING_REASON}\n`);
    return;
  }
  const folder = await makeFolder();
  const [service, browser] = await Promise.all([startBenchService(folder), openBrowser('new')]);
  try {
    const cookie = await signIn(service);
    const id = await storeWorkflow(withSession(service, cookie), { name: 'Board', ...GRAPH });
    await using editorPage = await browser.open(service.url, VIEWS[2], cookie);
    const { page } = editorPage;
    await addModels(page);
    const meter = await openMeter(page);
    await page.goto(`/flow/${id}`);
    await page.getByRole('application', { name: 'Workflow canvas' }).waitFor();
    await page.waitForLoadState('networkidle');
    yield await measureOpening(page, meter, isShort ? 2 : 11);
    yield await measureSearch(page, meter);
  } finally {
    await browser.close();
    await service.stop();
    await removeFolder(folder);
  }
}

interface Entry {
  readonly nodeType: string;
  readonly category: 'model';
  readonly source: 'vendor';
}

/** Adds copies of models to the catalog that the page reads, until there are 300. */
const addModels = (page: Page): Promise<unknown> =>
  page.route('**/api/v1/nodes?*', async route => {
    const response = await route.fetch();
    const catalog = (await response.json()) as { nodes: Entry[] };
    const models = catalog.nodes.filter(isModel);
    const copies = Array.from({ length: Math.max(0, MODELS - models.length) }, (_, index) => {
      const model = models[index % models.length];
      return { ...model, nodeType: `${model?.nodeType}_${index}` };
    });
    await route.fulfill({ response, json: { ...catalog, nodes: [...catalog.nodes, ...copies] } });
  });

async function measureOpening(page: Page, meter: Meter, rounds: number): Promise<Row> {
  const times: number[] = [];
  const dialog = page.getByRole('dialog', { name: 'Choose a model' });
  for (let round = 0; round < rounds; round++) {
    await page.getByRole('application', { name: 'Workflow canvas' }).focus();
    const { scriptP95 } = await meter.measureFrames(1, async () => {
      await page.keyboard.press('Shift+N');
      await dialog.getByRole('listbox').getByRole('option').first().waitFor();
    });
    times.push(scriptP95);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  }
  return {
    figure: `opening the model picker with ${MODELS} models, script`,
    value: median(times),
    unit: 'ms',
    target: { value: 50, is: 'at most' },
    note: `rounds ${times.map(time => time.toFixed(1)).join(', ')}; the first also loads the picker`,
  };
}

async function measureSearch(page: Page, meter: Meter): Promise<Row> {
  await page.keyboard.press('Shift+N');
  const field = page.getByRole('dialog').getByRole('combobox', { name: 'Search models' });
  await field.waitFor();
  const times: number[] = [];
  for (const key of TYPED_TEXT)
    times.push((await meter.measureFrames(1, () => page.keyboard.type(key))).scriptP95);
  return {
    figure: `searching in the model picker with ${MODELS} models, script a key, p95`,
    value: quantile(times, 0.95),
    unit: 'ms',
    target: { value: 16, is: 'at most' },
    note: `median ${median(times).toFixed(1)} of ${times.length} keys`,
  };
}
