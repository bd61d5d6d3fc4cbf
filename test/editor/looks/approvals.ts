// Lists the looks of approvals: the list, the page of a run that waits, and the page of a link.
import { applyView, assertFits, takeScreenshot, VIEWS } from '../../support/browser.ts';
import { createApprovalGraph, decide, startAsking, waitForApproval } from '../../support/runs/approvals.ts';
import { node } from '../../support/workflows.ts';
import type { Look } from './look.ts';

const GUEST = 'guest@example.org';
const TEXT =
  'Fresh bread, baked at four every morning.\n\nCome by before eight and the first loaf is on us. We use rye from the fields behind the mill, salt from the coast, and a starter that is older than our oldest baker.';

export const APPROVAL_LOOKS: readonly Look[] = [
  {
    title: 'the list of approvals, a run that waits, and the page of a link',
    async visit({ service, page, errors, check, checkState }) {
      await page.goto('/approvals');
      await check('approvals-empty', () =>
        page.getByRole('heading', { name: 'Nothing waits for you' }).waitFor(),
      );
      const graph = createApprovalGraph(
        { message: 'May we publish this text?' },
        node('a', 'input:text', { value: TEXT }),
      );
      const workflow = await service.createWorkflow({ name: 'Bakery posts', ...graph });
      const run = await service.startRun(workflow);
      await waitForApproval(service, run);
      const editable = await startAsking(service, { editableInputs: true });
      await waitForApproval(service, editable);
      await page.goto('/approvals');
      await check('approvals', () => page.getByRole('article').nth(1).waitFor());
      await decide(service, run, { decision: 'approve', comment: 'Lovely.' });
      await service.waitForStatus(run, 'COMPLETED');
      await decide(service, editable, { decision: 'reject' });
      await page.goto(`/executions/${run}`);
      await check('run-approved', () => page.getByText(/^Approved by/).waitFor());
      const asking = await startAsking(service, {
        assignees: [GUEST, 'ana@example.com'],
        message: 'May we publish this text?',
        editableInputs: true,
      });
      await page.goto(`/executions/${asking}`);
      await check('run-asking', () => page.getByText(`${GUEST} got no mail.`).waitFor());
      const { nodeStates } = await service.readExecution(asking);
      const id = (nodeStates as readonly { approval?: { id: string } }[]).find(state => state.approval)
        ?.approval?.id;
      const { body } = await service.request<{ url: string }>('POST', `/approvals/${id}/link`, {
        email: GUEST,
      });
      await page.goto('/healthz');
      await page.goto(`/approve${new URL(body.url).hash}`);
      const approve = page.getByRole('button', { name: 'Approve' });
      await approve.waitFor();
      for (const view of VIEWS) {
        await applyView(page, view);
        await takeScreenshot(page, 'approve-link', view);
        await assertFits(page, view.width);
      }
      await checkState('approve-link');
      await approve.click();
      await page.getByText(`Approved by ${GUEST}`).waitFor();
      await checkState('approve-link-used');
      errors.length = 0;
    },
  },
];
