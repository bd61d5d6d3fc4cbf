// Lists the looks of automations: their panel on the board, their dialogs, and their list.

import assert from 'node:assert/strict';
import { VIEWS } from '../../support/browser.ts';
import { node } from '../../support/workflows.ts';
import { clickTool, showCanvas } from '../flow/flow-page.ts';
import type { Look } from './look.ts';

export const AUTOMATION_LOOKS: readonly Look[] = [
  {
    title: 'the automations of a workflow and their dialogs',
    async visit({ service, page, errors, check, checkState }) {
      const id = await service.createWorkflow({
        name: 'Words',
        nodes: [node('idea', 'input:text', { value: 'a boat' })],
        edges: [],
      });
      await page.goto(`/flow/${id}`);
      await showCanvas(page);
      await clickTool(page, 'Automations');
      const panel = page.getByRole('complementary', { name: 'Automations' });
      await panel.getByRole('button', { name: 'Add schedule' }).click();
      const schedule = page.getByRole('dialog', { name: 'New schedule' });
      await schedule.getByLabel('Name').fill('Workdays');
      await page.getByRole('list', { name: 'Next five times' }).getByRole('listitem').nth(4).waitFor();
      // The form is longer than the window.
      const { y = 0, height = 0 } =
        (await schedule.getByRole('button', { name: 'Create' }).boundingBox()) ?? {};
      assert.ok(y > 0 && y + height < VIEWS[2].height, `Create is at ${y}`);
      await checkState('automations-schedule');
      await schedule.getByRole('button', { name: 'Create' }).click();
      await schedule.waitFor({ state: 'detached' });

      await panel.getByRole('button', { name: 'Add trigger' }).click();
      const trigger = page.getByRole('dialog', { name: 'New trigger' });
      await trigger.getByLabel('Name').fill('Orders');
      await checkState('automations-trigger');
      await trigger.getByRole('button', { name: 'Create' }).click();
      const url = page.getByRole('dialog', { name: 'Webhook URL' });
      await url.locator('pre').nth(1).waitFor();
      await checkState('automations-hook');
      await url.getByRole('button', { name: 'Done' }).click();

      const select = async (name: string, item: string): Promise<void> => {
        await panel.getByRole('button', { name: `Actions for ${name}` }).click();
        await page.getByRole('menuitem', { name: item }).click();
      };
      await select('Orders', 'Replace URL');
      const question = page.getByRole('dialog', { name: 'Replace the webhook URL for Orders?' });
      await question.waitFor();
      await checkState('automations-replace');
      await page.keyboard.press('Escape');
      await select('Workdays', 'Run for past times');
      const backfill = page.getByRole('dialog', { name: 'Run Workdays for past times' });
      await backfill.getByLabel('To').fill('2026-01-03T00:30');
      await backfill.getByLabel('From').fill('2026-01-01T00:30');
      await backfill.getByText('2 runs, 0 credits in all.').waitFor();
      // Between the two changes, the times are in the wrong order, which the service can refuse.
      errors.length = 0;
      await checkState('automations-backfill');
      await page.keyboard.press('Escape');

      const card = panel.getByRole('listitem', { name: 'Workdays' });
      await card.getByRole('button', { name: 'Run now' }).click();
      await card.getByText('Completed').waitFor();
      await card.getByRole('button', { name: 'History' }).click();
      const history = page.getByRole('dialog', { name: 'History of Workdays' });
      await history.getByRole('link', { name: 'Open run' }).waitFor();
      // The pointer is over a row, whose link would have less contrast.
      await page.mouse.move(0, 0);
      await checkState('automations-history');
      await page.keyboard.press('Escape');
      await check('automations-panel', () => card.waitFor());
    },
  },
  {
    title: 'the list of automations',
    async visit({ page, check }) {
      await page.goto('/automations');
      await check('automations', async () => {
        await page.getByRole('listitem', { name: 'Workdays' }).getByRole('link', { name: 'Words' }).waitFor();
        await page.getByRole('listitem', { name: 'Orders' }).waitFor();
      });
    },
  },
];
