// The webhook event of a run that ended: its body, byte for byte as it will be signed and sent.
import { randomUUID } from 'node:crypto';
import type { Step } from '../engine/types.ts';
import type { Plan } from '../graph/plan.ts';
import { newId } from '../lib/ids.ts';
import { stringifyJson } from '../lib/json-text.ts';
import type { ClaimedRun, NewDelivery } from '../store/runs.ts';
import { presentStep } from './present-execution.ts';
import type { RunRequest } from './run-request.ts';

export interface EndedRun {
  readonly claimed: Pick<ClaimedRun, 'id' | 'workflow_id' | 'webhook'>;
  readonly request: RunRequest;
  readonly plan: Plan;
}

// Whoever is told may be anybody.
const STRANGER = { isOwner: false } as const;

/** null where the run asked for no webhook. One event a run: its row is unique by execution. */
export function buildDelivery(
  run: EndedRun,
  status: string,
  steps: ReadonlyMap<string, Step>,
  createdAt: string,
): NewDelivery | null {
  if (run.claimed.webhook === null) return null;
  const { url, secret } = JSON.parse(run.claimed.webhook) as { url: string; secret: string | null };
  const event = status === 'COMPLETED' ? 'execution.completed' : 'execution.failed';
  const eventId = randomUUID();
  const body = stringifyJson({
    event,
    eventId,
    executionId: run.claimed.id,
    workflowId: run.claimed.workflow_id,
    status,
    // Nodes that ran: one that was skipped, or never begun, did not.
    nodeStates: run.plan.nodes.flatMap(node => {
      const step = steps.get(node.id);
      return step?.startedAtMs === undefined ? [] : [presentStep(node, step, STRANGER)];
    }),
    ...(run.request.metadata === undefined ? {} : { metadata: run.request.metadata }),
    createdAt,
  });
  return { id: newId('delivery'), event_id: eventId, event, url, secret, body };
}
