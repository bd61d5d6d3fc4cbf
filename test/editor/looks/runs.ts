// Lists the looks of runs: their list, and the page of a run with results, with a picture, and after an error.
import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { BOOTSTRAP_USER_ID } from '../../../src/services/accounts/bootstrap.ts';
import { assertFits, takeScreenshot, VIEWS } from '../../support/browser.ts';
import { insertManyExecutions } from '../../support/runs/many-executions.ts';
import { at, edge, node } from '../../support/workflows.ts';
import type { Look } from './look.ts';

async function boxOf(locator: Locator) {
  await locator.waitFor();
  const box = await locator.boundingBox();
  assert.ok(box);
  return box;
}

export const RUN_LOOKS: readonly Look[] = [
  {
    title: 'the list of runs before the first run',
    async visit({ page, check }) {
      await page.goto('/executions');
      await page.getByRole('heading', { name: 'Start from a template that is ready to run' }).waitFor();
      await check('runs-empty', () => page.getByRole('heading', { name: 'No runs yet' }).waitFor());
    },
  },
  {
    title: 'a run with a picture',
    async visit({ service, page, check }) {
      const id = await service.createWorkflow({
        name: 'Harbour',
        nodes: [
          node('scene', 'input:text', { value: 'a harbour' }),
          node('picture', 'generate:sandbox', { width: 1280, height: 720 }, at(400, 0)),
        ],
        edges: [edge('scene.text > picture.prompt')],
      });
      const run = await service.runWorkflow(id, { inputs: { scene: 'a red boat' } });
      await page.goto(`/executions/${run.id}`);
      const image = page.getByRole('figure', { name: 'picture' }).getByRole('img');
      await check('run-picture', () => image.waitFor());
      const scene = page.getByRole('definition').filter({ hasText: 'a red boat' });
      const steps = page.getByRole('heading', { name: 'Timeline' });
      const imageBox = await boxOf(image);
      assert.ok(imageBox.width > 800, `the result is ${imageBox.width} px wide`);
      for (const box of [await boxOf(scene), await boxOf(steps)])
        assert.ok(box.x > imageBox.x + imageBox.width && box.y < imageBox.y + imageBox.height + 100);
      await page.setViewportSize({ width: 390, height: 844 });
      assert.ok((await boxOf(scene)).y > (await boxOf(image)).y, 'a phone shows the result first');
    },
  },
  {
    title: 'a run that failed, a run with webhook deliveries, and the list of runs',
    async visit({ service, page, check }) {
      const failing = await service.createWorkflow({
        name: 'Fails',
        nodes: [node('call', 'utility:http_request', { url: 'http://127.0.0.1:9/' })],
        edges: [],
      });
      const failed = await service.runWorkflow(failing);
      await page.goto(`/executions/${failed.id}`);
      await check('run-failed', async () => {
        await page.getByRole('heading', { name: 'Error' }).waitFor();
        await page.getByText('This run has no results.').waitFor();
      });
      const words = await service.createWorkflow({
        name: 'Words',
        nodes: [node('text', 'input:text', { value: 'a boat' }), node('out', 'output:preview')],
        edges: [edge('text.text > out.input')],
      });
      const run = await service.runWorkflow(words, { webhook: { url: 'https://example.com/hook' } });
      await page.goto(`/executions/${run.id}`);
      await page.getByRole('button', { name: 'Resend' }).first().waitFor();
      await check('run', () => page.getByRole('figure').first().waitFor());
      await page.goto('/executions');
      await check('runs', () => page.getByRole('table').getByText('Fails').first().waitFor());
    },
  },
  {
    title: 'a long list of runs that is left and opened again',
    async visit({ service, page }) {
      const nodes = [node('text', 'input:text', { value: 'a boat' })];
      const workflowIds = [
        await service.createWorkflow({ name: 'One', nodes, edges: [] }),
        await service.createWorkflow({ name: 'Other', nodes, edges: [] }),
      ] as const;
      await insertManyExecutions(service.db, {
        count: 180,
        userId: BOOTSTRAP_USER_ID,
        workflowIds,
        endMs: Date.now() - 3_600_000,
      });
      await page.goto('/executions');
      const rows = page.getByRole('table').getByRole('row');
      await rows.nth(50).waitFor({ state: 'attached' });
      for (const count of [100, 150]) {
        await page.evaluate('scrollTo(0, document.body.scrollHeight)');
        await rows.nth(count).waitFor({ state: 'attached' });
      }
      const top = Number(await page.evaluate('scrollTo(0, 4000), scrollY'));
      assert.ok(top > 2000);
      // Leaves the page by a link of the application, then by loading another page.
      for (const leavePage of [
        () => page.getByRole('link', { name: 'Media' }).click(),
        () => page.goto(`/flow/${workflowIds[0]}`).then(() => page.getByRole('application').waitFor()),
      ]) {
        await leavePage();
        await page.waitForURL(url => url.pathname !== '/executions');
        await page.goBack();
        await page.waitForFunction(expected => Math.abs(scrollY - expected) < 2, top);
      }
      await page.getByRole('link', { name: 'Media' }).click();
      await page.getByRole('link', { name: 'Runs' }).click();
      await rows.nth(50).waitFor({ state: 'attached' });
      await page.waitForFunction(() => scrollY === 0);
    },
  },
  {
    title: 'lists on a tablet and on a very wide screen',
    async visit({ page }) {
      for (const name of ['workflows', 'templates', 'executions', 'media', 'settings/teams']) {
        await page.goto(`/${name}`);
        await page.getByRole('heading', { level: 1 }).waitFor();
        for (const view of [
          { ...VIEWS[2], width: 768, height: 1024 },
          { ...VIEWS[2], width: 2560, height: 1440 },
        ]) {
          await page.setViewportSize(view);
          await takeScreenshot(page, name.replace('/', '-'), view);
          await assertFits(page, view.width);
        }
      }
    },
  },
];
