// Tests that no card of a template's board covers another one when the sample results are shown.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SHIPPED_FOLDER } from '../../src/runs/templates/shipped-templates.ts';
import { readTemplateFolder } from '../../src/runs/templates/template-files.ts';
import { BROWSER_MISSING_REASON } from '../support/browser.ts';
import { setUpSignedInBrowser } from '../support/signed-in-browser.ts';

describe('the board of a template', { skip: BROWSER_MISSING_REASON }, () => {
  const editor = setUpSignedInBrowser();

  for (const { id, slug, graph, sample } of readTemplateFolder(SHIPPED_FOLDER).templates)
    it(`shows all cards of ${slug} beside each other`, async () => {
      const copy = await editor.service.request<{ id: string }>('POST', `/templates/${id}/duplicate`, {});
      await using testPage = await editor.open(`/flow/${copy.body.id}`);
      const { page } = testPage;
      const cards = page.locator('[data-node-id]');
      // All results are shown at once, so one file tells that they are there.
      const hasFile = (id: string): boolean =>
        JSON.stringify(sample?.outputs[id] ?? null).includes('"media"');
      const shown = graph.nodes.find(({ id }) => hasFile(id));
      await cards
        .and(page.locator(`[data-node-id="${shown?.id}"]`))
        .locator('img, video, audio')
        .first()
        .waitFor();
      await page.waitForFunction(() => [...document.images].every(image => image.complete));
      const boxes = await cards.evaluateAll(elements =>
        elements.map(element => {
          const { x, y, width, height } = element.getBoundingClientRect();
          return { id: (element as HTMLElement).dataset.nodeId, x, y, width, height };
        }),
      );
      const overlaps = boxes.flatMap((a, index) =>
        boxes
          .slice(index + 1)
          .filter(
            b => a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height,
          )
          .map(b => `${a.id} covers ${b.id}`),
      );
      assert.deepEqual(overlaps, []);
    });
});
