// Defines the response schemas of runs, deliveries and credits for the OpenAPI document.
import { Type } from 'typebox';
import { NODE_STATUSES } from '../../engine/types.ts';
import { PAID_BY } from '../../providers/credential.ts';
import { SpenderMonth } from '../../services/accounts/monthly-limit.schema.ts';
import { Edge, Node } from '../../services/graph.schema.ts';
import { PageSchema } from '../../services/paging.ts';
import { EventStreamSchema, Named, Nullable, Timestamp } from '../../services/schema.ts';
import { ENTRY_KINDS } from '../../store/credits.ts';
import { DELIVERY_STATES, EXECUTION_EVENTS } from '../../store/deliveries.ts';
import { EXECUTION_STATUSES, RUN_TRIGGERS, TERMINAL_STATUSES } from '../../store/executions.ts';
import { PresentedDecision } from '../approvals/approval.schema.ts';

const Credits = Type.Integer({ minimum: 0 });

const Render = Type.Optional(
  Type.Object(
    {
      width: Nullable(Type.Integer()),
      height: Nullable(Type.Integer()),
      duration: Nullable(Type.Number({ description: 'Seconds' })),
      fps: Type.Number(),
      frameCount: Type.Integer(),
      posterUrl: Type.String({ description: 'The poster, JPEG' }),
      backend: Type.String({ description: 'The codecs that made it: ffmpeg or codec-host' }),
      warnings: Type.Array(
        Type.String({ description: 'JSON pointers to scene nodes that could not be drawn or played' }),
      ),
    },
    { description: 'Details of a rendered video' },
  ),
);

const Seed = Type.Optional(
  Type.Integer({
    description: 'The seed from which a model made it: that of the run, or the one that the provider chose',
  }),
);

const RESULT_FIELDS = {
  outputUrl: Type.Optional(Type.String({ description: 'A media result' })),
  outputUrls: Type.Optional(
    Type.Array(Type.String(), { description: 'Several media results, in the order of the list' }),
  ),
  text: Type.Optional(Type.String()),
  texts: Type.Optional(Type.Array(Type.String())),
  value: Type.Optional(Type.Unknown({ description: 'A number or JSON result' })),
  values: Type.Optional(Type.Array(Type.Unknown())),
  ports: Type.Optional(
    Type.Array(
      Type.Object({
        id: Type.String({ description: 'The output port' }),
        type: Type.String({ description: 'Type of its value, such as `TEXT` or `LIST`' }),
        text: Type.Optional(Type.String()),
        value: Type.Optional(Type.Unknown({ description: 'A number, JSON or a list' })),
        url: Type.Optional(Type.String({ description: 'A media result' })),
        seed: Seed,
      }),
      { description: 'The values of all output ports, if several have one' },
    ),
  ),
  seed: Seed,
  seeds: Type.Optional(
    Type.Array(Nullable(Type.Integer()), {
      description: 'The seeds of `outputUrls`, in the same order; null for a result without a seed',
    }),
  ),
  render: Render,
  fromSample: Type.Optional(
    Type.Boolean({ description: 'true: the recorded result of the template; the node did not run' }),
  ),
};

export const NodeState = Named('NodeState', 'One node of a run', {
  nodeId: Type.String(),
  label: Type.String(),
  status: Type.Enum(NODE_STATUSES),
  error: Nullable(Type.String()),
  errorPointer: Type.Optional(
    Type.String({
      description: 'With `comfyui:workflow`: the JSON pointer of what failed in `config.graph`',
    }),
  ),
  ...RESULT_FIELDS,
  startedAt: Nullable(Timestamp),
  finishedAt: Nullable(Timestamp),
  credits: Credits,
  paidBy: Type.Optional(
    Type.Enum(PAID_BY, {
      description:
        "Who paid for the calls of the node. `credential`: the provider billed the workspace's own credential",
    }),
  ),
  credentialId: Type.Optional(Nullable(Type.String({ description: 'The credential of its calls' }))),
  costUsd: Type.Optional(
    Nullable(
      Type.Number({ description: 'With `paidBy: "credential"`: the cost in USD; null if it is unknown' }),
    ),
  ),
  cached: Type.Boolean({ description: 'Served from the node cache or an earlier run, at no charge' }),
  attempt: Type.Integer({ minimum: 0, description: 'How often the node was started in this run' }),
  progress: Type.Number({ minimum: 0, maximum: 1 }),
  truncated: Type.Optional(
    Type.Boolean({
      description:
        'true: values were truncated, because the record is limited to 16 MB. `GET /executions/{id}/outputs/{nodeId}` has the complete values.',
    }),
  ),
  warnings: Type.Optional(
    Type.Array(Type.String(), {
      description: 'Deviations from the request, e.g. a text that was cut off',
    }),
  ),
  approval: Type.Optional(
    Type.Object(
      {
        id: Nullable(Type.String({ description: '`apv_…`' })),
        message: Type.String({ description: 'The question' }),
        assignees: Type.Array(Type.Union([Type.String(), Type.Integer()]), {
          description: 'Emails and user IDs of those who are asked. Empty: who started the run',
        }),
        editable: Type.Boolean({ description: 'Whether the value may be edited' }),
        expiresAt: Nullable(Timestamp),
        decision: Nullable(PresentedDecision),
      },
      { description: 'The decision that the node waits or waited for' },
    ),
  ),
  graphSeeds: Type.Optional(
    Type.Array(
      Type.Object({
        node: Type.String({ description: 'The ID in `config.graph`' }),
        input: Type.String(),
        value: Type.Integer(),
        item: Type.Optional(Type.Integer({ description: 'The item, if the node ran once per item' })),
      }),
      { description: 'The seeds that a `comfyui:workflow` node drew for this run' },
    ),
  ),
  attempts: Type.Optional(
    Type.Array(
      Type.Object({
        credentialId: Type.String(),
        server: Type.String({ description: 'The name of the server' }),
        startedAt: Timestamp,
        error: Nullable(Type.String({ description: 'Why the call moved; null for the last server' })),
        item: Type.Optional(Type.Integer({ description: 'The item, if the node ran once per item' })),
      }),
      { description: 'The ComfyUI servers of a call that moved because its server was down, in order' },
    ),
  ),
  provider: Type.Optional(
    Type.Object(
      { name: Type.String(), jobId: Nullable(Type.String()) },
      { description: 'The task at the provider; only for owners of the workflow' },
    ),
  ),
  log: Type.Optional(
    Type.String({
      description: 'The last 64 KB that a code node wrote to its console; only for owners of the workflow',
    }),
  ),
});

export const WorkflowResults = Named('WorkflowResults', 'The newest completed result of each node', {
  nodes: Type.Record(
    Type.String({ description: 'Node id' }),
    Type.Object({
      executionId: Type.String({ description: 'The newest run that has the result, `ex_…`' }),
      finishedAt: Nullable(Timestamp),
      isCurrent: Type.Boolean({
        description: 'Whether the node and everything upstream are as they were in that run',
      }),
      ...RESULT_FIELDS,
      truncated: Type.Optional(
        Type.Boolean({
          description:
            'true: values were truncated. `GET /executions/{id}/outputs/{nodeId}` has the complete values.',
        }),
      ),
    }),
    { description: 'Results by node id' },
  ),
});

const LIST_FIELDS = {
  id: Type.String({ description: '`ex_…`' }),
  workflowId: Type.String(),
  workflowVersion: Type.Integer(),
  status: Type.Enum(EXECUTION_STATUSES),
  trigger: Type.Enum(RUN_TRIGGERS),
  metadata: Nullable(
    Type.Object(
      {},
      {
        additionalProperties: true,
        description:
          'In lists, null if it has over 32 KB, or if a request of over 32 KB contains a \\u escape',
      },
    ),
  ),
  error: Nullable(
    Type.Object({
      code: Type.String(),
      message: Type.String(),
      nodeId: Nullable(Type.String()),
      nodeType: Type.Optional(Type.String({ description: 'The type of the failed node' })),
    }),
  ),
  progress: Type.Object({ done: Type.Integer(), total: Type.Integer() }),
  credits: Type.Object({ estimated: Credits, held: Credits, charged: Credits, released: Credits }),
  createdAt: Timestamp,
  startedAt: Nullable(Timestamp),
  finishedAt: Nullable(Timestamp),
  webhook: Nullable(
    Type.Object({
      url: Type.String(),
      state: Type.Enum(DELIVERY_STATES),
      attempts: Type.Integer(),
      lastStatusCode: Nullable(Type.Integer()),
    }),
  ),
  idempotencyKey: Nullable(Type.String()),
  resumedFromId: Nullable(Type.String()),
  batchId: Type.Optional(Type.String({ description: 'The batch that started the run' })),
  rowKey: Type.Optional(Type.String({ description: 'The key or number of its row in the batch' })),
  scheduleId: Type.Optional(Type.String({ description: 'The schedule that started the run' })),
  triggerId: Type.Optional(Type.String({ description: 'The trigger that started the run' })),
  appId: Type.Optional(Type.String({ description: 'The app that started the run' })),
};

const RunOutput = Type.Object({
  nodeId: Type.String(),
  label: Type.String(),
  type: Type.String(),
  url: Type.Optional(Type.String()),
  seed: Seed,
  render: Render,
  text: Type.Optional(Type.String()),
  value: Type.Optional(Type.Unknown()),
});

export const ExecutionRecord = Named('Execution', 'A run: its status, nodes, outputs and costs', {
  ...LIST_FIELDS,
  inputs: Type.Object({}, { additionalProperties: true }),
  config: Type.Optional(
    Type.Object({}, { additionalProperties: true, description: 'By node ID, the config that the run set' }),
  ),
  nodeStates: Type.Array(NodeState, { description: 'In topological order' }),
  outputs: Type.Array(RunOutput, {
    description: 'Results of the output nodes; without output nodes, results of the last nodes',
  }),
  meta: Type.Optional(
    Type.Object({ warnings: Type.Array(Type.String()) }, { description: 'Nodes that take a sample result' }),
  ),
});

const PreviewValues = (description: string) =>
  Type.Array(
    Type.Object({
      label: Type.String({ description: 'Label of the node' }),
      text: Type.Optional(Type.String({ description: 'Up to 200 characters' })),
      url: Type.Optional(Type.String()),
      contentType: Type.Optional(Type.String()),
      posterUrl: Type.Optional(Type.String()),
    }),
    { description },
  );
const LIST_DETAILS = {
  preview: Nullable(
    Type.Object(
      {
        inputs: PreviewValues('Up to four inputs, or the prompts of a workflow without input nodes'),
        outputs: PreviewValues('Up to six results'),
      },
      { description: 'The beginnings of the inputs and results, once the run has ended' },
    ),
  ),
  batch: Nullable(
    Type.Object(
      {
        id: Type.String({ description: '`bat_…`' }),
        total: Type.Integer({ description: 'Number of rows' }),
        completed: Type.Integer(),
        failed: Type.Integer(),
        running: Type.Integer(),
      },
      { description: 'The batch that started the run' },
    ),
  ),
};

const ListedExecution = Named('ExecutionListItem', 'A run without its nodes, inputs and outputs', {
  ...LIST_FIELDS,
  ...LIST_DETAILS,
  userName: Type.String({ description: 'Name of the user who started the run' }),
});
export const ExecutionPage = PageSchema(ListedExecution);

export const WorkspaceRunPage = PageSchema(
  Named('WorkspaceRun', 'A run in the list of a workspace or of the instance', {
    id: Type.String({ description: '`ex_…`' }),
    workflowId: Type.String(),
    workflowName: Nullable(Type.String({ description: 'Null if it was deleted' })),
    userId: Type.Integer({ description: 'Who started the run' }),
    userName: Type.String(),
    teamId: Nullable(Type.String({ description: 'Null: a personal workspace' })),
    workspaceName: Nullable(Type.String({ description: 'Name of the team or user; null if it was deleted' })),
    status: LIST_FIELDS.status,
    trigger: LIST_FIELDS.trigger,
    models: Type.Array(Type.String(), { description: 'The paid node types in the run' }),
    ...LIST_DETAILS,
    error: LIST_FIELDS.error,
    progress: LIST_FIELDS.progress,
    credits: LIST_FIELDS.credits,
    createdAt: Timestamp,
    startedAt: Nullable(Timestamp),
    finishedAt: Nullable(Timestamp),
    mayOpen: Type.Boolean({
      description:
        'Whether you may read the run itself. Workflows that are only shared with you do not count',
    }),
  }),
);

export const Failures = Named('Failures', 'Failed runs, grouped by error and failed node type', {
  groups: Type.Array(
    Type.Object({
      code: Type.String(),
      nodeType: Nullable(Type.String({ description: 'Type of the failed node; null if no node failed' })),
      label: Nullable(Type.String({ description: 'Label of the node type in the catalog' })),
      runs: Type.Integer(),
      workflows: Type.Integer(),
      users: Type.Integer(),
      lastAt: Timestamp,
      message: Type.String({ description: 'The message of the newest run' }),
    }),
    { description: 'Largest group first, at most 50' },
  ),
  isCut: Type.Boolean({ description: 'Whether there are more failed runs than the newest that are grouped' }),
});

const EventId = Type.Integer({ description: 'Increases with each event; send it back as Last-Event-ID' });
const EVENTS = {
  snapshot: Named('SnapshotEvent', 'The first event: the current record of the run', {
    event: Type.Literal('snapshot'),
    id: EventId,
    data: ExecutionRecord,
  }),
  node: Named('NodeEvent', 'A node has changed', {
    event: Type.Literal('node'),
    id: EventId,
    data: NodeState,
  }),
  execution: Named('ExecutionEvent', 'The run has changed; the last event has its final status', {
    event: Type.Literal('execution'),
    id: EventId,
    data: Named('ExecutionSummary', 'A run without its nodes, inputs, outputs and user', LIST_FIELDS),
  }),
  progress: Named('ProgressEvent', 'The progress of a node; not stored, so without an id', {
    event: Type.Literal('progress'),
    data: Type.Object({
      nodeId: Type.String(),
      progress: Type.Number({ minimum: 0, maximum: 1 }),
      detail: Type.Optional(Type.String({ description: 'The node of a ComfyUI graph that executes' })),
      previewUrl: Type.Optional(
        Type.String({ description: 'An image of the work so far; valid while the node runs' }),
      ),
    }),
  }),
};

/** The events of a run's stream, by name. */
export const EventStream = EventStreamSchema(
  'RunEvent',
  'One server-sent event of a run: its fields `event`, `id` and `data`',
  EVENTS,
);

export const AcceptedRun = Named('AcceptedRun', 'A run that is stored and will be executed', {
  executionId: Type.String(),
  workflowId: Type.String(),
  status: Type.Enum(EXECUTION_STATUSES, {
    description: 'QUEUED; with `Prefer: wait` the status when the wait ended',
  }),
  estimatedCredits: Type.Integer(),
  createdAt: Timestamp,
  urls: Type.Object({ self: Type.String(), events: Type.String(), cancel: Type.String() }),
  warnings: Type.Optional(
    Type.Array(Type.String(), {
      description: 'Changes to the request, such as a wait limited to 60 s',
    }),
  ),
  meta: Type.Optional(
    Type.Object({ warnings: Type.Array(Type.String()) }, { description: 'Nodes that take a sample result' }),
  ),
});

export const ExecutedGraph = Named('ExecutedGraph', 'The graph that a run executes', {
  workflowId: Type.String(),
  workflowVersion: Type.Integer(),
  nodes: Type.Array(Node),
  edges: Type.Array(Edge),
});

export const Success = Type.Object({ success: Type.Literal(true) });

/** The body of a webhook after a run has ended. */
export const CompletionEvent = Named('CompletionEvent', 'The body of a webhook when a run has ended', {
  event: Type.Enum(EXECUTION_EVENTS),
  eventId: Type.String({ format: 'uuid', description: 'Identical across retries' }),
  executionId: Type.String(),
  workflowId: Type.String(),
  status: Type.Enum(TERMINAL_STATUSES),
  nodeStates: Type.Array(NodeState, { description: 'The nodes that ran' }),
  metadata: Type.Optional(Type.Object({}, { additionalProperties: true, description: 'If sent on the run' })),
  outputs: Type.Optional(
    Type.Array(RunOutput, { description: 'If `webhook.include` has `outputs`: as in the execution' }),
  ),
  outputsOmitted: Type.Optional(
    Type.Literal(true, {
      description:
        'The event with its outputs would have more than 16 MB. Read them with `GET /executions/{id}`.',
    }),
  ),
  createdAt: Timestamp,
});

export const Delivery = Named('Delivery', 'A webhook delivery with its attempts', {
  id: Type.String({ description: 'Sent as `X-Service-Delivery` with every attempt' }),
  executionId: Type.String(),
  event: Type.String(),
  eventId: Type.String({ format: 'uuid' }),
  url: Type.String(),
  state: Type.Enum(DELIVERY_STATES),
  lastStatusCode: Nullable(Type.Integer()),
  nextAttemptAt: Nullable(Timestamp),
  createdAt: Timestamp,
  finishedAt: Nullable(Timestamp),
  attempts: Type.Array(
    Type.Object({
      attempt: Type.Integer(),
      startedAt: Timestamp,
      durationMs: Nullable(Type.Integer()),
      statusCode: Nullable(Type.Integer()),
      error: Nullable(Type.String({ description: 'Why there was no response' })),
      response: Nullable(Type.String({ description: 'The first KB of the response' })),
    }),
  ),
});
export const DeliveryPage = PageSchema(Delivery);

export const WebhookTestResult = Named('WebhookTest', 'The response to a sample event', {
  delivered: Type.Boolean(),
  eventId: Type.String({ format: 'uuid' }),
  statusCode: Nullable(Type.Integer()),
  durationMs: Type.Integer(),
  error: Nullable(Type.String()),
  response: Nullable(Type.String()),
});

export const CreditsResponse = Named('Credits', 'A balance and a page of its ledger', {
  teamId: Nullable(Type.String()),
  balance: Credits,
  held: Type.Integer({ minimum: 0, description: 'Reserved for active runs' }),
  own: Type.Optional(
    Type.Object(SpenderMonth, { description: 'What your runs cost the workspace, and your limit there' }),
  ),
  entries: Type.Array(
    Named('LedgerEntry', 'One change of a balance', {
      id: Type.Integer(),
      kind: Type.Enum(ENTRY_KINDS),
      amount: Type.Integer(),
      executionId: Nullable(Type.String()),
      workflowId: Nullable(Type.String()),
      nodeId: Nullable(Type.String()),
      note: Nullable(Type.String()),
      createdAt: Timestamp,
    }),
    { description: 'The ledger, newest first' },
  ),
  nextCursor: Nullable(Type.String()),
});

export const PoolResponse = Named('CreditPool', 'A balance after a grant', {
  workspace: Type.String(),
  balance: Credits,
  held: Type.Integer(),
});
