// Tests the pages of approvals: the list with its number in the header, the page of a run, and the page of a link.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { mapStates } from '../support/client.ts';
import { waitUntil } from '../support/processes.ts';
import {
  type Approval,
  decide,
  getDecision,
  startAsking,
  waitForApproval,
} from '../support/runs/approvals.ts';
import { setUpSignedInPages } from './dom/signed-in-pages.ts';

const GUEST = 'guest@example.org';

describe('the pages of approvals', () => {
  const editor = setUpSignedInPages();

  async function startWithLink(config: Record<string, unknown>): Promise<{ run: string; link: string }> {
    const { service } = editor;
    const run = await startAsking(service, { assignees: [GUEST], ...config });
    const { nodeStates } = await service.readExecution(run);
    const id = (nodeStates as readonly { approval?: { id: string } }[]).find(state => state.approval)
      ?.approval?.id;
    await waitUntil('the assignees', async () => {
      const { body } = await service.request<Approval>('GET', `/approvals/${id}`);
      return body.assignees.length > 0;
    });
    const { body } = await service.request<{ url: string }>('POST', `/approvals/${id}/link`, {
      email: GUEST,
    });
    return { run, link: new URL(body.url).pathname + new URL(body.url).hash };
  }

  async function openSignedOut(path: string) {
    const testPage = await editor.browser.open(editor.service.url);
    await testPage.page.goto(path);
    return testPage;
  }

  it('list what waits with its number in the header, and decide with a comment and edits', async () => {
    const { service } = editor;
    const run = await startAsking(service, { message: 'May we publish it?', editableInputs: true });
    await waitForApproval(service, run);
    await using testPage = await editor.open('/workflows');
    const { page } = testPage;
    await page.getByRole('banner').getByRole('link', { name: 'Approvals, 1 waiting' }).click();
    await page.getByText('May we publish it?').waitFor();
    await page.getByLabel('Value').fill('Fresh bread');
    await page.getByLabel('Comment (optional)').fill('Shorter');
    await page.getByRole('button', { name: 'Approve' }).press('Enter');
    await page.getByText('Nothing waits for you').waitFor();
    const record = await service.waitForStatus(run);
    assert.equal(mapStates(record).yes?.text, 'Fresh bread');
    assert.equal(getDecision(record)?.comment, 'Shorter');
    await page.getByLabel('Status').selectOption('decided');
    await page.getByText(/^Approved by .*, with edits/).waitFor();
    assert.deepEqual(testPage.errors, []);
  });

  it('refuse edits that are no JSON', async () => {
    const { service } = editor;
    const run = await startAsking(service, { editableInputs: true });
    const { id } = await waitForApproval(service, run);
    // The type of the value, as a workflow with JSON would store it.
    await service.db.query(`update approvals set value = replace(value, '"TEXT"', '"JSON"') where id = $1`, [
      id,
    ]);
    await using testPage = await editor.open(`/approvals/${id}`);
    const { page } = testPage;
    await page.getByLabel('Value').fill('{');
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('Enter valid JSON.').waitFor();
    await decide(service, run, { decision: 'reject' });
  });

  it('show on a run who is asked, and afterwards who decided', async () => {
    const { run } = await startWithLink({ message: 'Good?' });
    await using testPage = await editor.open(`/executions/${run}`);
    const { page } = testPage;
    await page.getByText(`Asked: ${GUEST}`).waitFor();
    await page.getByText(`${GUEST} got no mail.`).waitFor();
    await page.getByRole('button', { name: 'Reject' }).click();
    await page.getByText(/^Rejected by /).waitFor();
    assert.deepEqual(testPage.errors, []);
  });

  it('decide by a link without a session, once, and only after a click', async () => {
    const { service } = editor;
    const { run, link } = await startWithLink({ message: 'May we publish it?', editableInputs: true });
    await using testPage = await openSignedOut(link);
    const { page } = testPage;
    await page.getByRole('heading', { name: 'May we publish it?' }).waitFor();
    assert.equal(new URL(page.url()).hash, '');
    assert.equal((await service.readExecution(run)).status, 'WAITING');
    await page.getByLabel('Comment (optional)').fill('Fine');
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText(`Approved by ${GUEST}`).waitFor();
    await service.waitForStatus(run, 'COMPLETED');
    await using otherPage = await openSignedOut(link);
    await otherPage.page.getByText(`Approved by ${GUEST}`).waitFor();
    assert.equal(await otherPage.page.getByRole('button', { name: 'Approve' }).count(), 0);
    assert.deepEqual(testPage.errors, []);
  });

  it('show who decided if somebody else was faster', async () => {
    const { service } = editor;
    const { run, link } = await startWithLink({});
    await using testPage = await openSignedOut(link);
    const { page } = testPage;
    const reject = page.getByRole('button', { name: 'Reject' });
    await reject.waitFor();
    await decide(service, run, { decision: 'approve' });
    await reject.click();
    await page.getByText(/^Approved by /).waitFor();
  });
});
