// Builds the webhook event of a run that ended, including the exact body that is signed and sent.
import { randomUUID } from 'node:crypto';
import type { Step } from '../../engine/types.ts';
import type { Plan } from '../../graph/plan.ts';
import { newId } from '../../lib/ids.ts';
import { stringifyJson } from '../../lib/json-text.ts';
import type { WebhookTarget } from '../../services/webhooks/webhook-target.ts';
import type { ExecutionEvent } from '../../store/deliveries.ts';
import type { TerminalStatus } from '../../store/executions.ts';
import type { NewDelivery, RunRow } from '../../store/runs.ts';
import type { RunRequest } from '../prepare/run.schema.ts';
import { ANYONE, presentOutputs, presentStep } from '../read/present-execution.ts';
import { fitsRecord, truncateRecord } from '../read/truncate-record.ts';

export interface EndedRun {
  readonly row: Pick<RunRow, 'id' | 'workflow_id' | 'webhook'>;
  readonly request: RunRequest;
  readonly plan: Plan;
}

/** Returns the only event of the run, or null if it has no webhook. */
export function buildDelivery(
  run: EndedRun,
  status: TerminalStatus,
  steps: ReadonlyMap<string, Step>,
  createdAt: string,
): NewDelivery | null {
  if (run.row.webhook === null) return null;
  const { url, secret, include } = JSON.parse(run.row.webhook) as WebhookTarget;
  const event = {
    executionId: run.row.id,
    workflowId: run.row.workflow_id,
    status,
    // Contains the nodes that ran, with the fields that anyone may see.
    nodeStates: run.plan.nodes.flatMap(node => {
      const step = steps.get(node.id);
      return step?.startedAtMs === undefined ? [] : [presentStep(node, step, ANYONE)];
    }),
    ...(run.request.metadata === undefined ? {} : { metadata: run.request.metadata }),
    createdAt,
  };
  const outputs = include?.includes('outputs') === true ? presentOutputs(run.plan, steps) : undefined;
  const { kind, eventId, body } = buildEvent(addOutputs(event, outputs));
  return { id: newId('delivery'), event_id: eventId, event: kind, url, secret, body };
}

/** Adds the outputs that the webhook asked for. If the event would become too large, it says that they were left out. */
function addOutputs(event: EventFields, outputs: EventFields['outputs']): EventFields {
  if (outputs === undefined) return truncateRecord(event);
  const complete = { ...event, outputs };
  return fitsRecord(complete) ? complete : { ...truncateRecord(event), outputsOmitted: true };
}

/** The fields of an event, in the order in which they are written. */
interface EventFields {
  readonly executionId: string;
  readonly workflowId: string;
  readonly status: TerminalStatus;
  readonly nodeStates: readonly { readonly nodeId: string }[];
  readonly metadata?: unknown;
  readonly outputs?: readonly { readonly nodeId: string }[];
  readonly outputsOmitted?: true;
  readonly createdAt: string;
}

export interface WebhookEvent {
  readonly kind: ExecutionEvent;
  readonly eventId: string;
  readonly body: string;
}

/** Builds a new event and the body to sign and send. */
export function buildEvent(fields: EventFields): WebhookEvent {
  const kind = fields.status === 'COMPLETED' ? 'execution.completed' : 'execution.failed';
  const eventId = randomUUID();
  return { kind, eventId, body: stringifyJson({ event: kind, eventId, ...fields }) };
}
