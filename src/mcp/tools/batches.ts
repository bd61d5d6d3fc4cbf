// Defines the tools that run a workflow over many rows.
import { Type } from 'typebox';
import { CreateBatchBody, ListRowsQuery, MAX_ROWS } from '../../automation/batches/batch.schema.ts';
import { createBatch } from '../../automation/batches/create-batch.ts';
import { listRowPage, presentBatch, readBatch } from '../../automation/batches/read-batch.ts';
import { AppError } from '../../lib/errors.ts';
import { matchesSchema } from '../../lib/schema-check.ts';
import { Exact } from '../../services/schema.ts';
import { AnyObject, Cursor, defineTool, Id, Limit, OneOf, OutputSchema, READ_HINTS } from '../tool.ts';

const BATCH_OUTPUT = OutputSchema({
  batchId: Type.String(),
  status: Type.String(),
  reason: Type.String(),
  counts: AnyObject('By status of the rows'),
  credits: AnyObject('estimated, charged'),
  rows: Type.Array(AnyObject()),
  nextCursor: Type.String(),
  next: Type.String(),
});
const TOO_LONG_HINT = 'Read fewer rows with limit, or only those with one status.';

type BatchRecord = Awaited<ReturnType<typeof readBatch>>;

function toData({ id, status, reason, counts, credits }: BatchRecord) {
  return { batchId: id, status, reason: reason ?? undefined, counts, credits };
}

export const runBatchTool = defineTool({
  name: 'run_batch',
  title: 'Run batch',
  description:
    'Run a workflow once for each row of inputs, or for each combination of a matrix. maxCredits is the most that the whole batch may cost: agree on it with the user. Returns immediately; read the results with get_batch.',
  scope: 'workflows:execute',
  hints: { destructiveHint: false, openWorldHint: true },
  input: Exact({
    workflowId: Id(),
    rows: Type.Optional(
      Type.Array(
        Exact({
          key: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
          inputs: AnyObject('By input name or node id'),
        }),
        { minItems: 1, maxItems: MAX_ROWS },
      ),
    ),
    matrix: Type.Optional(
      AnyObject('inputs: by input name or node id, the list of values; mode: product or zip'),
    ),
    maxCredits: Type.Integer({ minimum: 0 }),
    concurrency: Limit(100),
    firstRows: Limit(MAX_ROWS),
    idempotencyKey: Type.Optional(Type.String({ minLength: 1, maxLength: 255, pattern: '^[\\x20-\\x7e]*$' })),
  }),
  output: BATCH_OUTPUT,
  exactNumberArguments: ['rows', 'matrix'],
  tooLongHint: TOO_LONG_HINT,
  call: async ({ deps, actor }, { workflowId, idempotencyKey, ...body }) => {
    // The schema of a tool cannot describe the members of a matrix.
    if (!matchesSchema(CreateBatchBody, body))
      throw new AppError(
        'invalid_request',
        'Send rows: [{ key?, inputs }], or matrix: { inputs: { <input>: [values] }, mode? }.',
      );
    const { batch } = await createBatch(deps, actor, { workflowId, idempotencyKey, body });
    const data = toData(await presentBatch(deps, batch));
    return { data: { ...data, next: 'Read the results with get_batch.' } };
  },
});

export const getBatchTool = defineTool({
  name: 'get_batch',
  title: 'Read batch',
  description: 'Returns the state of a batch and a page of its rows with their outputs.',
  scope: 'workflows:read',
  hints: READ_HINTS,
  input: Exact({
    batchId: Id(),
    status: Type.Optional(OneOf(ListRowsQuery.properties.status.enum)),
    limit: Limit(50),
    cursor: Cursor,
  }),
  output: BATCH_OUTPUT,
  tooLongHint: TOO_LONG_HINT,
  call: async ({ deps, actor }, { batchId, limit = 20, ...query }) => {
    const batch = await readBatch(deps, actor, batchId);
    const page = await listRowPage(deps, actor, batchId, { ...query, limit });
    const rows = page.data.map(({ inputs: _, rating: _rating, isPicked: _isPicked, ...row }) => row);
    return { data: { ...toData(batch), rows, nextCursor: page.nextCursor ?? undefined } };
  },
});
