// Defines the schemas of batches: requests and responses.
import { type Static, Type } from 'typebox';
import { WEBHOOK_FIELDS } from '../../runs/prepare/run.schema.ts';
import { PageQuery, PageSchema } from '../../services/paging.ts';
import {
  EventStreamSchema,
  Exact,
  IdParams,
  Named,
  NamedExact,
  Nullable,
  Timestamp,
  Warnings,
} from '../../services/schema.ts';
import { BATCH_STATUSES } from './store/batches.ts';
import { ROW_SORTS } from './store/row-lists.ts';
import { ROW_STATUSES } from './store/rows.ts';

export const MAX_ROWS = 10_000;
export const DEFAULT_CONCURRENCY = 10;
export const DEFAULT_STOP_AFTER_FAILURES = 20;

const NodeId = Type.String({ maxLength: 200 });
const Inputs = Type.Record(NodeId, Type.Unknown(), {
  description: 'Values by input name or node ID, as in the request to run a workflow',
});
const Config = Type.Record(NodeId, Type.Record(Type.String({ maxLength: 200 }), Type.Unknown()), {
  description: 'Config fields by node ID, as in the request to run a workflow',
});
const Key = Type.String({
  minLength: 1,
  maxLength: 200,
  description: 'Your name for the row, unique in the batch',
});

const Values = Type.Array(Type.Unknown(), { minItems: 1, maxItems: MAX_ROWS });

const SOURCES = {
  rows: Type.Optional(
    Type.Array(Exact({ key: Type.Optional(Key), inputs: Inputs, config: Type.Optional(Config) }), {
      minItems: 1,
      maxItems: MAX_ROWS,
      description: 'The inputs of each row',
    }),
  ),
  tableId: Type.Optional(Type.String({ maxLength: 64, description: 'A table that was uploaded, `tbl_…`' })),
  mapping: Type.Optional(
    Type.Record(NodeId, Type.String({ maxLength: 1000 }), {
      maxProperties: 1000,
      description:
        'With `tableId`: by input name or node ID, the column with its values. An empty cell keeps the default.',
    }),
  ),
  keyColumn: Type.Optional(
    Type.String({ maxLength: 1000, description: 'With `tableId`: the column with the keys of the rows' }),
  ),
  matrix: Type.Optional(
    Exact(
      {
        inputs: Type.Optional(
          Type.Record(NodeId, Values, {
            maxProperties: 1000,
            description: 'By input name or node ID, the values to vary',
          }),
        ),
        config: Type.Optional(
          Type.Record(NodeId, Type.Record(Type.String({ maxLength: 200 }), Values, { maxProperties: 100 }), {
            maxProperties: 1000,
            description:
              'By node ID and config field, the values to vary, such as {"picture": {"model": ["fast", "best"]}}. Needs the scope workflows:write.',
          }),
        ),
        mode: Type.Optional(
          Type.Enum(['product', 'zip'], {
            default: 'product',
            description: '`product`: every combination; `zip`: the first values, then the second ones, …',
          }),
        ),
      },
      { description: 'Varies inputs and config fields. The last one varies fastest.' },
    ),
  ),
};

const Credits = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

const Concurrency = Type.Integer({
  minimum: 1,
  maximum: 100,
  description: 'How many rows run at the same time',
});

export const CreateBatchBody = NamedExact(
  'BatchRequest',
  'The rows to run, as exactly one of `rows`, `tableId` with `mapping`, and `matrix`',
  {
    ...SOURCES,
    targets: Type.Optional(
      Type.Array(NodeId, {
        minItems: 1,
        maxItems: 100,
        description: 'Run only these nodes and the nodes that they need',
      }),
    ),
    maxCredits: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'The most that the whole batch may cost. It stops before a row that would exceed it.',
      }),
    ),
    concurrency: Type.Optional({ ...Concurrency, default: DEFAULT_CONCURRENCY }),
    stopAfterFailures: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: MAX_ROWS,
        default: DEFAULT_STOP_AFTER_FAILURES,
        description: 'Stops the batch after this many failed rows in a row; 0: never',
      }),
    ),
    firstRows: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_ROWS,
        description: 'Runs this many rows and then pauses',
      }),
    ),
    webhook: Type.Optional(Type.Object(WEBHOOK_FIELDS)),
    metadata: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), { description: 'Echoed in the webhook' }),
    ),
  },
);
export type CreateBatchBody = Static<typeof CreateBatchBody>;

export const BatchParams = IdParams('Batch ID, `bat_…`');

export const RowParams = Type.Object({
  ...BatchParams.properties,
  row: Type.Integer({ minimum: 1, maximum: MAX_ROWS, description: 'The number of the row, from 1' }),
});

export const StopBody = Exact({
  cancelRunning: Type.Optional(Type.Boolean({ default: false, description: 'Also cancels running rows' })),
});

export const ResumeBatchBody = Exact({
  maxCredits: Type.Optional({ ...Credits, description: 'A new limit for the whole batch' }),
  concurrency: Type.Optional({
    ...Concurrency,
    description: 'How many rows run at the same time from now on',
  }),
});
export type ResumeBatchBody = Static<typeof ResumeBatchBody>;

export const RetryBody = Exact({
  includeCancelled: Type.Optional(Type.Boolean({ default: false, description: 'Retries canceled rows too' })),
  includeUnknown: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Also retries rows that a provider may have billed, `provider_outcome_unknown`',
    }),
  ),
});

export const RowMarkBody = Exact(
  {
    rating: Type.Optional(Nullable(Type.Integer({ minimum: 1, maximum: 5 }))),
    isPicked: Type.Optional(Type.Boolean()),
  },
  { minProperties: 1 },
);

/** The maximum number of rows that a query can name. */
const MAX_NAMED_ROWS = 200;

export const ListRowsQuery = Type.Object({
  status: Type.Optional(Type.Enum(ROW_STATUSES)),
  picked: Type.Optional(Type.Boolean()),
  rows: Type.Optional(
    Type.String({
      pattern: `^[1-9]\\d{0,4}(,[1-9]\\d{0,4}){0,${MAX_NAMED_ROWS - 1}}$`,
      description: `Only the rows with these numbers, up to ${MAX_NAMED_ROWS}, such as \`1,4,7\``,
    }),
  ),
  sort: Type.Optional(
    Type.Enum(ROW_SORTS, {
      default: 'row',
      description: '`row`: by number; `rating`: the best first, and rows without a rating last',
    }),
  ),
  ...PageQuery.properties,
});
export type ListRowsQuery = Static<typeof ListRowsQuery>;

export const ExportQuery = Type.Object({
  format: Type.Optional(Type.Enum(['csv', 'jsonl', 'zip'], { default: 'csv' })),
  bom: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'Whether a CSV begins with a byte order mark, without which Excel misreads letters beyond ASCII',
    }),
  ),
});

const Counts = Type.Object({
  total: Type.Integer(),
  ...Object.fromEntries(ROW_STATUSES.map(status => [status, Type.Integer()])),
});

export const BatchEstimate = Named('BatchEstimate', 'What a batch would cost', {
  rows: Type.Integer(),
  credits: Type.Integer({ description: 'The credits of all rows' }),
  exact: Type.Boolean(),
  perRow: Nullable(Type.Integer({ description: 'The credits of each row; null if rows differ' })),
  meta: Warnings,
});

const Urls = Type.Object({
  self: Type.String(),
  rows: Type.String(),
  events: Type.String(),
  stop: Type.String(),
});

const FIELDS = {
  status: Type.Enum(BATCH_STATUSES),
  reason: Nullable(
    Type.String({ description: 'Why it stopped, such as `max_credits` or `failures_in_a_row`' }),
  ),
  counts: Counts,
};

export const AcceptedBatch = Named('AcceptedBatch', 'A batch that was accepted', {
  batchId: Type.String(),
  ...FIELDS,
  estimate: BatchEstimate,
  urls: Urls,
});

export const Batch = Named('Batch', 'A workflow that runs over many rows', {
  id: Type.String(),
  workflowId: Type.String(),
  workflowName: Type.String(),
  workflowVersion: Type.Integer(),
  ...FIELDS,
  concurrency: Type.Integer(),
  stopAfterFailures: Type.Integer(),
  firstRows: Nullable(Type.Integer()),
  maxCredits: Nullable(Type.Integer()),
  credits: Type.Object({
    estimated: Type.Integer(),
    exact: Type.Boolean(),
    charged: Type.Integer(),
  }),
  axes: Nullable(
    Type.Array(
      Type.Object({
        nodeId: Type.String(),
        field: Nullable(Type.String({ description: 'The config field; null: an input node' })),
        count: Type.Integer({ description: 'The number of its values' }),
      }),
      { description: 'For a matrix of combinations, what varies. The last one varies fastest.' },
    ),
  ),
  targets: Nullable(Type.Array(Type.String(), { description: 'The nodes to run; null: all' })),
  metadata: Nullable(Type.Object({}, { additionalProperties: true })),
  truncated: Type.Optional(
    Type.Boolean({
      description:
        'Set in lists and events if `axes` or `metadata` has more than 16 KB and is therefore null. Read the batch to get them.',
    }),
  ),
  createdAt: Timestamp,
  finishedAt: Nullable(Timestamp),
  urls: Urls,
});
export const BatchPage = PageSchema(Batch);

export const BatchRowSchema = Named('BatchRow', 'A row of a batch', {
  row: Type.Integer({ description: 'From 1' }),
  key: Nullable(Type.String()),
  inputs: Type.Object({}, { additionalProperties: true }),
  config: Nullable(
    Type.Object({}, { additionalProperties: true, description: 'By node ID, the config that the row sets' }),
  ),
  status: Type.Enum(ROW_STATUSES),
  executionId: Nullable(Type.String()),
  outputs: Type.Array(Type.Object({}, { additionalProperties: true }), {
    description: 'As in the execution record',
  }),
  error: Nullable(Type.Object({ code: Type.String(), message: Type.String() })),
  credits: Type.Integer({ description: 'Charged, with earlier attempts' }),
  rating: Nullable(Type.Integer()),
  isPicked: Type.Boolean(),
});
export const BatchRowPage = PageSchema(BatchRowSchema);

const Event = (event: string, data: typeof Batch | typeof BatchRowSchema) =>
  Named(`Batch${event[0]?.toUpperCase()}${event.slice(1)}Event`, `The event \`${event}\``, {
    event: Type.Literal(event),
    data,
  });

export const BatchEvents = EventStreamSchema('BatchEvent', 'An event of a batch', {
  snapshot: Event('snapshot', Batch),
  row: Event('row', BatchRowSchema),
  batch: Event('batch', Batch),
});
