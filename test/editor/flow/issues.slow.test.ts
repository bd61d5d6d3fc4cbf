// Tests that the board shows the issues that the service finds, that Ctrl+Enter runs from a field, and what happens to
// pasted JSON that is not a workflow.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { setUpFlowPages } from './flow-dom.ts';
import { fillIdea, nodeOf, PICTURE, untilSaved } from './flow-page.ts';

interface LintReport {
  readonly issues: readonly { readonly code: string; readonly message: string }[];
}

describe('the issues of the board', () => {
  const flow = setUpFlowPages();

  const paste = (page: Page, text: string): Promise<void> =>
    page.evaluate(pasted => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/plain', pasted);
      document.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    }, text);

  /** Waits until the panel lists these issues in this order. Before, the panel may show older issues. */
  const untilShown = (page: Page, issues: LintReport['issues']): Promise<unknown> =>
    page.waitForFunction(
      messages => {
        const items = [...document.querySelectorAll('ul[aria-label="Issues"] > li')];
        return messages.every((message, index) => items[index]?.textContent?.includes(message));
      },
      issues.map(({ message }) => message),
    );

  it('include a required field of a template without a value', async () => {
    const id = await flow.create({
      nodes: [
        {
          id: 'video',
          type: 'basedNode',
          position: { x: 0, y: 0 },
          data: {
            label: 'Video',
            category: 'utility',
            nodeType: 'video:renderer',
            config: { templateId: 'product-reel' },
          },
        },
      ],
      edges: [],
    });
    await using testPage = await flow.open(id);
    const { page } = testPage;
    const missing = 'The required port "Product name" is not connected';
    await page.getByText(missing).first().waitFor({ state: 'attached' });
    const { issues } = await flow.send<LintReport>('POST', `/workflows/${id}/lint`, {});
    await untilShown(page, issues);
    assert.equal(await page.locator('ul[aria-label="Issues"] > li').count(), issues.length);
  });

  it('are limited in the inspector with a hint that there are more', async () => {
    const config = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`unknown_${index}`, 1]));
    const data = { label: 'Idea', category: 'input', nodeType: 'input:text', config };
    const id = await flow.create({
      nodes: [{ id: 'idea', type: 'basedNode', position: { x: 0, y: 0 }, data }],
      edges: [],
    });
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await nodeOf(page, 'Idea').click({ position: { x: 90, y: 20 } });
    const items = page.getByRole('list', { name: 'Issues of Idea' }).getByRole('listitem');
    await items.last().getByText('Showing the first 8 of').waitFor();
    assert.equal(await items.count(), 9);
  });

  it('are those of the service for every node type and every kind of mistake', async () => {
    const { nodes } = await flow.send<{
      nodes: readonly { nodeType: string; label: string; category: string }[];
    }>('GET', '/nodes?includeHidden=1');
    const id = await flow.create(PICTURE);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    for (let from = 0; from < nodes.length; from += 25) {
      const part = nodes.slice(from, from + 25).map(({ nodeType, label, category }, index) => ({
        id: `n${index}`,
        type: 'basedNode',
        position: { x: 300 * index, y: 0 },
        data: { label, category, nodeType, config: { seed: 'x', value: {}, unknown_setting: 1 } },
      }));
      const edges = part.slice(1).map(({ id: target }, index) => ({
        id: `e${index}`,
        source: `n${index}`,
        target,
        sourceHandle: 'out-text',
        targetHandle: 'in-nothing',
      }));
      const types = part.map(({ data }) => JSON.stringify(data.nodeType));
      // A response for the earlier part may still arrive.
      const lintResponse = page.waitForResponse(response => {
        const body = response.request().postData() ?? '';
        return response.url().endsWith('/lint') && types.every(type => body.includes(type));
      });
      await paste(page, JSON.stringify({ nodes: part, edges }));
      const { issues } = (await (await lintResponse).json()) as LintReport;
      assert.ok(issues.length > 0);
      await untilShown(page, issues.slice(0, 100));
      await page.keyboard.press('Control+z');
    }
  });

  it('allow a run by Ctrl+Enter from a field or the code editor', async () => {
    const id = await flow.create(PICTURE);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await fillIdea(page, 'a gull');
    await page.keyboard.press('Control+Enter');
    await flow.untilRuns(id, 1);
    const field = page.getByRole('complementary', { name: 'Inspector' }).getByLabel('Text', { exact: true });
    assert.equal(await field.inputValue(), 'a gull');
    await untilSaved(page);
    assert.equal((await flow.runs(id))[0]?.status, 'COMPLETED');
  });

  it('explain why JSON that is not a workflow is not pasted', async () => {
    const id = await flow.create(PICTURE);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await nodeOf(page, 'Idea').waitFor();
    await paste(page, '{"nodes": [{"id": "a"');
    await page.getByText('this JSON is incomplete or malformed').waitFor();
    await paste(page, ' [1, 2]');
    await page.getByText('this JSON contains no workflow').waitFor();
    assert.equal(await page.locator('[data-node-id]').count(), 3);
    await paste(page, 'a lighthouse');
    await page.locator('[data-node-id]').nth(3).waitFor();
  });
});
