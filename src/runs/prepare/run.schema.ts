// Defines the schemas of requests that start, list and follow runs.
import { type Static, type TSchema, Type } from 'typebox';
import type { Json, JsonObject } from '../../graph/types.ts';
import type { JsonText } from '../../lib/json-text.ts';
import { PageQuery } from '../../services/paging.ts';
import { Id, IdParams, NamedExact, PositiveInteger } from '../../services/schema.ts';
import { WEBHOOK_INCLUDES } from '../../services/webhooks/webhook-target.ts';
import { EXECUTION_STATUSES, RUN_TRIGGERS } from '../../store/executions.ts';

/** Defines an object that is kept as the JSON text that was sent. Routes list these members in `config.rawProperties`. */
const AsSent = (schema: TSchema) => Type.Unsafe<JsonText<JsonObject>>(schema);

/** By node id, the config fields that a run sets. */
export type RunConfig = Readonly<Record<string, JsonObject>>;

const RUN_FIELDS = {
  inputs: Type.Optional(
    AsSent(
      Type.Record(Type.String(), Type.Unknown(), {
        description:
          'Values by input name or node ID: a string, number, JSON or list; for media a URL, {url} or {mediaId}',
      }),
    ),
  ),
  config: Type.Optional(
    Type.Unsafe<JsonText<RunConfig>>(
      Type.Record(Type.String(), Type.Unknown(), {
        description:
          'By node ID, the config fields to set for this run only, such as {"picture": {"model": "fast"}}. `nodeType` gives a model node another model with the same kind of result; the node keeps the settings that the model accepts. Checked like a change of the workflow; needs the scope workflows:write.',
      }),
    ),
  ),
  metadata: Type.Optional(
    AsSent(
      Type.Record(Type.String(), Type.Unknown(), {
        description: 'Echoed in the delivery, with members in the same order',
      }),
    ),
  ),
  targets: Type.Optional(
    Type.Array(Type.String({ maxLength: 200 }), {
      minItems: 1,
      maxItems: 1000,
      description: 'Run only these nodes and the nodes that they need',
    }),
  ),
  keep: Type.Optional(
    Type.Object(
      {
        executionId: Type.String({ maxLength: 64 }),
        again: Type.Optional(
          Type.Array(Type.String({ maxLength: 200 }), {
            maxItems: 1000,
            description: 'Run these nodes and all nodes after them again',
          }),
        ),
      },
      {
        additionalProperties: false,
        description: 'An ended execution of this workflow whose results are reused if they are still valid',
      },
    ),
  ),
  pins: Type.Optional(
    Type.Record(Type.String({ maxLength: 200 }), Type.String({ maxLength: 64 }), {
      maxProperties: 1000,
      description:
        'By node ID, the execution of this workflow whose result is used instead of running the node',
    }),
  ),
  useSample: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'Nodes whose provider cannot be used take the result that came with the template, free of charge',
    }),
  ),
  useCache: Type.Optional(Type.Boolean({ default: true })),
  timeoutMs: Type.Optional(Type.Integer({ minimum: 1, maximum: 604_800_000 })),
  maxCredits: Type.Optional(Type.Integer({ minimum: 0 })),
};

export const ExecuteBody = NamedExact('ExecuteRequest', 'How to run a workflow', RUN_FIELDS);
export type RunRequest = Static<typeof ExecuteBody>;

/** The receiver of an event. Also of batches, whose events contain no outputs. */
export const WEBHOOK_FIELDS = {
  url: Type.String({ maxLength: 2048, description: 'https; plain http for localhost only' }),
  secret: Type.Optional(Type.Union([Type.String({ maxLength: 1024 }), Type.Null()])),
};

export const RunBody = NamedExact('RunRequest', 'How to run a workflow, and which webhook to notify', {
  ...RUN_FIELDS,
  webhook: Type.Optional(
    Type.Object({
      ...WEBHOOK_FIELDS,
      include: Type.Optional(
        Type.Union([Type.Array(Type.Enum(WEBHOOK_INCLUDES), { maxItems: 16 }), Type.Null()], {
          description: '`outputs`: the event contains the outputs of the run',
        }),
      ),
    }),
  ),
});
export type RunBody = Static<typeof RunBody>;

export const ResumeBody = NamedExact(
  'ResumeRequest',
  'A decision for a waiting run, or how to run an ended one again',
  {
    decision: Type.Optional(
      Type.Object(
        {
          nodeId: Type.String({ maxLength: 200 }),
          approved: Type.Boolean(),
          value: Type.Optional(
            Type.Unsafe<Json>({ description: 'Replaces the value that waited for approval' }),
          ),
        },
        { additionalProperties: false, description: 'The decision for a waiting execution' },
      ),
    ),
    fromNodeId: Type.Optional(
      Type.String({ maxLength: 200, description: 'Run this node and all nodes after it again' }),
    ),
    useLatestWorkflow: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'Use the current graph, and the current versions of components that are called at their latest version. Otherwise, those of the earlier run are used.',
      }),
    ),
    inputs: RUN_FIELDS.inputs,
    webhook: RunBody.properties.webhook,
  },
);
export type ResumeRequest = Static<typeof ResumeBody>;

export const ExecutionId = IdParams('Execution ID, `ex_…`');

export const ExecutionNode = Type.Object({
  id: Id('Execution ID, `ex_…`'),
  nodeId: Type.String({ maxLength: 1000, description: 'A node of the executed graph' }),
});

export const PreviewQuery = Type.Object({
  version: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Distinguishes the URLs of successive previews' }),
  ),
});

const SearchFilters = {
  q: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description:
        'Only runs whose inputs and results contain all of these words, in any order. The beginning of a word is enough. Runs that have not ended are not found',
    }),
  ),
  trigger: Type.Optional(Type.Enum(RUN_TRIGGERS, { description: 'What started the run' })),
  groupBatches: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'Return the newest matching run of each batch for all of its runs. Its `batch` has the counts',
    }),
  ),
};

export const ListExecutionsQuery = Type.Object({
  status: Type.Optional(Type.Enum(EXECUTION_STATUSES)),
  createdAfter: Type.Optional(Type.String({ maxLength: 40, description: 'ISO 8601' })),
  createdBefore: Type.Optional(Type.String({ maxLength: 40, description: 'ISO 8601' })),
  idempotencyKey: Type.Optional(Type.String({ maxLength: 255 })),
  workflowId: Type.Optional(Type.String({ maxLength: 64 })),
  userId: Type.Optional(PositiveInteger({ description: 'Who started the run' })),
  automated: Type.Optional(
    Type.Boolean({
      description: 'Only runs that schedules, triggers or visitors of apps started; false: only the others',
    }),
  ),
  ...SearchFilters,
  ...PageQuery.properties,
});
export type ListExecutionsQuery = Static<typeof ListExecutionsQuery>;

export const ReadExecutionQuery = Type.Object({
  asAdmin: Type.Optional(
    Type.Boolean({
      description:
        'Reads a run of any workspace. Requires the scope `instance:admin`; the log of the service records it',
    }),
  ),
});

const NODE_TYPE = Type.String({ minLength: 1, maxLength: 200 });
const RunFilters = {
  workflowId: Type.Optional(Type.String({ maxLength: 64 })),
  userId: Type.Optional(PositiveInteger({ description: 'Who started the run' })),
  model: Type.Optional(Type.Unsafe<string>({ ...NODE_TYPE, description: 'A paid node type in the run' })),
  errorCode: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  failedNodeType: Type.Optional(
    Type.Unsafe<string>({ ...NODE_TYPE, description: 'The type of the node that failed the run' }),
  ),
  createdAfter: Type.Optional(Type.String({ maxLength: 40, description: 'ISO 8601' })),
  createdBefore: Type.Optional(Type.String({ maxLength: 40, description: 'ISO 8601' })),
};
const InstanceFilters = {
  teamId: Type.Optional(
    Type.String({
      maxLength: 64,
      description: 'Only runs of this team; `personal`: only runs of your personal workspace',
    }),
  ),
  personal: Type.Optional(
    Type.Boolean({ default: false, description: 'Include the personal workspaces of other users' }),
  ),
};
const Status = { status: Type.Optional(Type.Enum(EXECUTION_STATUSES)) };

export const WorkspaceRunsQuery = Type.Object({
  ...Status,
  ...RunFilters,
  ...SearchFilters,
  ...PageQuery.properties,
});
export const InstanceRunsQuery = Type.Object({
  ...Status,
  ...RunFilters,
  ...SearchFilters,
  ...InstanceFilters,
  ...PageQuery.properties,
});
export const WorkspaceFailuresQuery = Type.Object(RunFilters);
export const InstanceFailuresQuery = Type.Object({ ...RunFilters, ...InstanceFilters });

export type FailuresQuery = Static<typeof InstanceFailuresQuery>;
export type WorkspaceRunsQuery = Static<typeof InstanceRunsQuery>;
