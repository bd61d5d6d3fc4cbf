// Lists the looks of apps: their settings in the share dialog, their list, and their own pages.
import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { assertFits } from '../../support/browser.ts';
import { at, edge, node } from '../../support/workflows.ts';
import { clickTool, nodeOf, showCanvas } from '../flow/flow-page.ts';
import type { Look, LookTests } from './look.ts';

const GRAPH = {
  name: 'Postcards',
  nodes: [
    node('place', 'input:text', { value: 'Lisbon' }),
    node('size', 'input:number', { value: 64 }, at(0, 300)),
    node('picture', 'generate:sandbox', { width: 64, height: 64 }, at(400, 0)),
  ],
  edges: [edge('place.text > picture.prompt')],
};

const isInView = (locator: Locator): Promise<boolean> =>
  locator.evaluate(
    element =>
      new Promise<boolean>(resolve =>
        new IntersectionObserver(([entry]) => resolve(entry?.isIntersecting === true)).observe(element),
      ),
  );

/** Creates an app with examples and a gallery. Returns the path of its page. */
async function createApp({ service }: LookTests): Promise<string> {
  const id = await service.createWorkflow(GRAPH);
  const { id: example } = await service.runWorkflow(id, { inputs: { place: 'Porto' } });
  const { status, body } = await service.request<{ slug: string }>('PUT', `/workflows/${id}/app`, {
    slug: 'postcards-for-all',
    title: 'Postcards for everyone',
    description: 'Writes a place on a picture.',
    inputs: [
      { nodeId: 'place', label: 'Place', help: 'A city or a country.', isRequired: true },
      { nodeId: 'size', label: 'Size', control: 'slider', min: 16, max: 64, group: 'Style' },
    ],
    outputs: ['picture'],
    audience: 'anyone',
    showsGallery: true,
    examples: [example],
  });
  assert.equal(status, 200, JSON.stringify(body));
  return `/a/${body.slug}`;
}

export const APP_LOOKS: readonly Look[] = [
  {
    title: 'the settings of an app',
    async visit({ service, page, errors, check, checkState }) {
      const id = await service.createWorkflow(GRAPH);
      await service.runWorkflow(id, { inputs: { place: 'Faro' } });
      await page.goto(`/flow/${id}`);
      await showCanvas(page);
      await clickTool(page, 'Share');
      const dialog = page.getByRole('dialog', { name: 'Share' });
      await dialog.getByRole('tab', { name: 'App' }).click();
      const create = dialog.getByRole('button', { name: 'Create app' });
      await check('flow-share-App', async () => {
        const box = await create.boundingBox();
        const size = page.viewportSize();
        assert.ok(box && size && box.y + box.height <= size.height && box.x + box.width <= size.width);
      });
      const place = dialog.getByRole('list', { name: 'Inputs in the form' }).getByRole('listitem').first();
      await place.getByText('Label, help, group and limits').click();
      await place.getByLabel('Label', { exact: true }).fill('Where to?');
      await place.getByLabel('Help').fill('A city or a country');
      await place.getByLabel('Group').fill('Look');
      await place.getByLabel('Required').check();
      const examples = dialog.getByRole('list', { name: 'Examples' }).getByRole('button');
      await examples.first().click();
      await examples.first().locator('img').waitFor();
      await dialog.getByText('Embed on a website').click();
      const websites = dialog.getByLabel('Websites that may embed the app');
      await websites.fill('https://a.example\nhttps://b.example/page');
      await create.click();
      const error = dialog.getByText('Write an origin such as https://example.com, without a path.');
      await error.waitFor();
      assert.equal(await isInView(error), true);
      assert.match(errors.splice(0).join(), /status of 400/);
      await websites.fill('https://a.example');
      await create.click();
      await dialog.getByRole('link', { name: 'Open app' }).waitFor();
      await dialog.getByRole('button', { name: 'Create embed key' }).click();
      await dialog.getByLabel('Embed key', { exact: true }).waitFor();
      await checkState('flow-share-App-embed');
    },
  },
  {
    title: 'the question whether to put an app out of order',
    async visit({ service, page, errors, checkState }) {
      const id = await service.createWorkflow(GRAPH);
      await service.request('PUT', `/workflows/${id}/app`, {
        slug: 'breaking-app',
        title: 'Breaks',
        inputs: [{ nodeId: 'size' }],
        outputs: ['picture'],
      });
      await page.goto(`/flow/${id}`);
      await nodeOf(page, 'size').click({ position: { x: 90, y: 20 } });
      await page.keyboard.press('Delete');
      await page.getByRole('button', { name: 'Save anyway' }).click();
      const dialog = page.getByRole('dialog', { name: 'Save and put the app out of order?' });
      await dialog.waitFor();
      assert.match(errors.splice(0).join(), /status of 409/);
      await checkState('flow-app-question');
      await dialog.getByRole('button', { name: 'Save anyway' }).click();
      await dialog.waitFor({ state: 'detached' });
    },
  },
  {
    title: 'the page of an app, its invalid fields and its results',
    async visit(tests) {
      const { page, errors, check, checkState } = tests;
      await page.goto(await createApp(tests));
      const place = page.getByLabel('Place');
      await check('app', () => place.waitFor());
      await page.getByRole('button', { name: 'Run' }).click();
      await page.locator('[aria-invalid=true]').waitFor();
      assert.match(errors.splice(0).join(), /status of 400/);
      await checkState('app-invalid');
      await place.fill('Lagos');
      await page.getByRole('button', { name: 'Run' }).click();
      await page.locator('[data-status=COMPLETED] .output img').waitFor();
      await page.getByRole('button', { name: 'Add to gallery' }).click();
      await page.getByRole('heading', { name: 'Gallery' }).waitFor();
      await check('app-of-owner', () => page.getByRole('heading', { name: 'Results of visitors' }).waitFor());
      // The viewport of a window of 1280 x 1024 pixels at 400 % zoom.
      await page.setViewportSize({ width: 320, height: 256 });
      await assertFits(page, 320);
      await checkState('app-zoomed');
    },
  },
  {
    title: 'the list of apps',
    async visit({ page, check }) {
      await page.goto('/apps');
      await check('apps', async () => {
        const card = page.getByRole('listitem', { name: 'Postcards for everyone' });
        await card.getByText(/^\d runs?, 0 credits in 30 days$/).waitFor();
        await card.getByRole('link', { name: 'Open app' }).waitFor();
      });
    },
  },
];
