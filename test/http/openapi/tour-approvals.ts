// Sends requests to the operations of approvals.
import { createApprovalGraph } from '../../support/runs/approvals.ts';
import type { TourContext } from './tour.ts';

const V1 = '/api/v1';
const GUEST = 'guest@example.org';

/** Decides an approval as an owner, and another by a link. */
export async function tourApprovals({ send, waitFor }: TourContext): Promise<void> {
  const graph = createApprovalGraph({ message: 'Publish it?', assignees: [GUEST], editableInputs: true });
  const { id: workflowId } = (await send('POST', `${V1}/workflows`, { name: 'Slogan', ...graph })).body;
  const startAsking = async () => {
    const { body } = await send('POST', `${V1}/workflows/${workflowId}/execute`, {});
    const run = `${V1}/executions/${(body as unknown as { executionId: string }).executionId}`;
    await waitFor(run, ({ status }) => status === 'WAITING');
    const { nodeStates } = (await send('GET', run)).body as unknown as {
      nodeStates: readonly { approval?: { id: string } }[];
    };
    const approval = `${V1}/approvals/${nodeStates.find(state => state.approval)?.approval?.id}`;
    await waitFor(approval, ({ assignees }) => assignees?.length === 1);
    return { approval, path: `${run}/approvals/ask` };
  };
  const { approval, path } = await startAsking();
  await send('GET', approval);
  const decision = { decision: 'approve', comment: 'Shorter', edits: { input: 'Fresh bread' } };
  await send('POST', path, decision);
  await send('POST', path, decision);
  const { body } = await send('POST', `${(await startAsking()).approval}/link`, { email: GUEST });
  const token = (body as unknown as { url: string }).url.split('#')[1];
  await send('POST', `${V1}/approvals/link`, { token });
  await send('POST', `${V1}/approvals/link/decision`, { token, decision: 'reject' });
  await send('POST', `${V1}/approvals/link/decision`, { token, decision: 'approve' });
  await send('POST', `${V1}/approvals/link`, { token: 'unknown' });
  await send('POST', `${V1}/approvals/link/mails`, { token, isStopped: true });
  const own = (await send('POST', `${V1}/workflows`, { name: 'Slogan', ...createApprovalGraph() })).body;
  await send('POST', `${V1}/workflows/${own.id}/execute`, {});
  await waitFor(`${V1}/approvals`, ({ data }) => (data as unknown as readonly object[]).length > 0);
  await send('GET', `${V1}/approvals?limit=1`);
}
