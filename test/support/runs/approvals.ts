// Shared by the tests of approvals: a workflow that asks for one, and requests about it.
import assert from 'node:assert/strict';
import type { Client, Execution, Reply } from '../client.ts';
import { waitUntil } from '../processes.ts';
import { edge, node } from '../workflows.ts';

export interface PresentedDecision {
  readonly decision: string;
  readonly comment: string | null;
  readonly edited: boolean;
  readonly by: {
    readonly via: string;
    readonly userId?: number;
    readonly name?: string;
    readonly email?: string;
  };
}

export interface Approval {
  readonly id: string;
  readonly executionId: string;
  readonly nodeId: string;
  readonly workflowId: string | null;
  readonly status: string;
  readonly type: string;
  readonly items: readonly { readonly text?: string; readonly value?: unknown; readonly url?: string }[];
  readonly truncated: boolean;
  readonly editable: boolean;
  readonly assignees: readonly {
    readonly userId: number | null;
    readonly email: string | null;
    readonly mail: string;
  }[];
  readonly decision: PresentedDecision | null;
  readonly code?: string;
  readonly error?: string;
}

/** A workflow that asks for an approval of a text. */
export const createApprovalGraph = (
  config: Record<string, unknown> = {},
  source = node('a', 'input:text', { value: 'draft' }),
) => ({
  nodes: [
    source,
    node('ask', 'logic:approval', config),
    node('yes', 'output:preview'),
    node('no', 'output:preview'),
  ],
  edges: [edge('a.text > ask.input'), edge('ask.approved > yes.input'), edge('ask.rejected > no.input')],
});

/** Starts a run that asks for an approval, and waits until its assignees are stored. */
export async function startAsking(client: Client, config: Record<string, unknown> = {}): Promise<string> {
  const id = await client.startRun(await client.createWorkflow(createApprovalGraph(config)));
  await client.waitForStatus(id, 'WAITING');
  return id;
}

export const decide = (
  client: Pick<Client, 'request'>,
  executionId: string,
  body: object,
  nodeId = 'ask',
): Promise<Reply<Approval & { readonly by?: { readonly name?: string } }>> =>
  client.request('POST', `/executions/${executionId}/approvals/${encodeURIComponent(nodeId)}`, body);

export async function listApprovals(
  client: Pick<Client, 'request'>,
  query = '',
): Promise<readonly Approval[]> {
  const { status, body } = await client.request<{ data: readonly Approval[] }>('GET', `/approvals${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body.data;
}

/** Waits until the approval of a run is in the caller's list. */
export async function waitForApproval(
  client: Pick<Client, 'request'>,
  executionId: string,
): Promise<Approval> {
  let found: Approval | undefined;
  await waitUntil('the approval to be listed', async () => {
    found = (await listApprovals(client)).find(approval => approval.executionId === executionId);
    return found !== undefined;
  });
  return found as Approval;
}

export const getDecision = (record: Execution, nodeId = 'ask'): PresentedDecision | null | undefined =>
  (
    record.nodeStates.find(state => state.nodeId === nodeId) as {
      approval?: { decision: PresentedDecision | null };
    }
  ).approval?.decision;
