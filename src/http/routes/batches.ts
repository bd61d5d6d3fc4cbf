// Registers the routes of batches.
import { Type } from 'typebox';
import {
  AcceptedBatch,
  Batch,
  BatchEstimate,
  BatchEvents,
  BatchPage,
  BatchParams,
  BatchRowPage,
  BatchRowSchema,
  CreateBatchBody,
  ExportQuery,
  ListRowsQuery,
  ResumeBatchBody,
  RetryBody,
  RowMarkBody,
  RowParams,
  StopBody,
} from '../../automation/batches/batch.schema.ts';
import {
  changeRow,
  removeBatch,
  resumeBatch,
  retryBatch,
  stopBatch,
} from '../../automation/batches/change-batch.ts';
import { createBatch, estimateBatch } from '../../automation/batches/create-batch.ts';
import { exportBatch } from '../../automation/batches/export-batch.ts';
import { listBatchPage, listRowPage, presentBatch, readBatch } from '../../automation/batches/read-batch.ts';
import { watchBatch } from '../../automation/batches/watch-batch.ts';
import type { RunDeps } from '../../runs/deps.ts';
import { Success } from '../../services/accounts/account.schema.ts';
import { PageQuery } from '../../services/paging.ts';
import { Plain } from '../../services/schema.ts';
import { findWebhookError } from '../../services/webhooks/webhook-target.ts';
import { WorkflowParams } from '../../services/workflows/workflow.schema.ts';
import type { Server } from '../deps.ts';
import { parseLastEventId, streamEvents } from '../event-stream.ts';
import { createDescriber, RESOURCE_ERRORS, toSuccess } from '../route.ts';
import { getIdempotencyKey } from '../start-headers.ts';
import { getWebhook, START_ERRORS } from './runs.ts';

const operation = createDescriber('Batches');
const BATCH_ERRORS = [...START_ERRORS, 'invalid_rows'] as const;

export function registerBatches(server: Server, deps: RunDeps): void {
  server.post(
    '/api/v1/workflows/:id/batches',
    {
      ...operation('createBatch', 'workflows:execute', {
        summary: 'Run a workflow over many rows',
        description:
          'Starts a batch: one run of the current version of the workflow for each row. Every row is checked first; if any is invalid, nothing runs and the response lists the first 1,000 problems. The rows have at most 1,000,000 values of inputs and 100 MB in all. Rows run in order, at most `concurrency` at a time and within the limits of the workspace. Credits are reserved as rows start. With `Idempotency-Key`, the request can be repeated for 24 hours and starts only one batch.',
        errors: [...BATCH_ERRORS, 'invalid_webhook', 'conflict', 'storage_quota_exceeded'],
        params: WorkflowParams,
        body: CreateBatchBody,
        response: { 202: AcceptedBatch },
        requestHeaders: ['Idempotency-Key'],
        inexactNumbers: 'keep',
      }),
      preValidation: (req, _reply, done) => done(findWebhookError(deps, getWebhook(req.body))),
    },
    async (req, reply) => {
      const { batch, estimate, replayed } = await createBatch(deps, req.actor, {
        workflowId: req.params.id,
        body: req.body,
        idempotencyKey: getIdempotencyKey(req),
      });
      const { id: batchId, status, reason, counts, urls } = await presentBatch(deps, batch);
      if (replayed) reply.header('idempotent-replayed', 'true');
      reply.code(202).header('location', urls.self);
      return { batchId, status, reason, counts, estimate, urls };
    },
  );
  server.post(
    '/api/v1/workflows/:id/batches/estimate',
    {
      ...operation('estimateBatch', 'workflows:execute', {
        summary: 'Estimate a batch',
        description:
          'Checks every row and returns what the batch would cost, with a warning for each limit that would stop the batch before its last row: the executions of the day, the credits and the daily budgets. Stores nothing. Has the limits of creating a batch.',
        errors: [...BATCH_ERRORS, 'invalid_webhook'],
        params: WorkflowParams,
        body: CreateBatchBody,
        response: { 200: BatchEstimate },
        inexactNumbers: 'keep',
      }),
      preValidation: (req, _reply, done) => done(findWebhookError(deps, getWebhook(req.body))),
    },
    req => estimateBatch(deps, req.actor, req.params.id, req.body),
  );
  server.get(
    '/api/v1/workflows/:id/batches',
    operation('listWorkflowBatches', 'workflows:read', {
      summary: 'List the batches of a workflow',
      description: 'Returns the batches of a workflow, newest first, without long axes and metadata.',
      params: WorkflowParams,
      querystring: PageQuery,
      response: { 200: BatchPage },
    }),
    req => listBatchPage(deps, req.actor, req.query, req.params.id),
  );
  server.get(
    '/api/v1/batches',
    operation('listBatches', 'workflows:read', {
      summary: 'List the batches that you started',
      description: 'Returns the batches that you started, newest first, without long axes and metadata.',
      querystring: PageQuery,
      response: { 200: BatchPage },
    }),
    req => listBatchPage(deps, req.actor, req.query),
  );
  server.get(
    '/api/v1/batches/:id',
    operation('getBatch', 'workflows:read', {
      summary: 'Read a batch',
      description:
        'Returns the status, counts and credits of a batch. The counts always add up to the total.',
      params: BatchParams,
      response: { 200: Batch },
      isUncacheable: true,
    }),
    req => readBatch(deps, req.actor, req.params.id),
  );
  server.get(
    '/api/v1/batches/:id/rows',
    operation('listBatchRows', 'workflows:read', {
      summary: 'List the rows of a batch',
      description:
        'Returns the rows in order, with the outputs of completed rows. Long outputs are truncated: the execution has the complete values. A page has at most 16 MB, so that it may have fewer rows than `limit`.',
      params: BatchParams,
      querystring: ListRowsQuery,
      response: { 200: BatchRowPage },
      isUncacheable: true,
    }),
    req => listRowPage(deps, req.actor, req.params.id, req.query),
  );
  server.patch(
    '/api/v1/batches/:id/rows/:row',
    operation('updateBatchRow', 'workflows:execute', {
      summary: 'Rate or pick a row',
      description: 'Sets the rating of a row, or picks it.',
      params: RowParams,
      body: RowMarkBody,
      response: { 200: BatchRowSchema },
    }),
    req => changeRow(deps, req.actor, req.params.id, req.params.row, req.body),
  );
  server.post(
    '/api/v1/batches/:id/stop',
    operation('stopBatch', 'workflows:execute', {
      summary: 'Stop a batch',
      description:
        'Starts no more rows. Running rows continue to their end, or are canceled with `cancelRunning`. Has no effect on a batch that has ended.',
      params: BatchParams,
      body: StopBody,
      response: { 200: Batch },
    }),
    req => stopBatch(deps, req.actor, req.params.id, req.body.cancelRunning === true),
  );
  server.post(
    '/api/v1/batches/:id/resume',
    operation('resumeBatch', 'workflows:execute', {
      summary: 'Resume a batch',
      description:
        'Continues a paused or stopped batch with its waiting rows. A batch that stopped because of `max_credits` needs a larger `maxCredits`.',
      errors: [...RESOURCE_ERRORS, 'conflict'],
      params: BatchParams,
      body: ResumeBatchBody,
      response: { 200: Batch },
    }),
    req => resumeBatch(deps, req.actor, req.params.id, req.body),
  );
  server.post(
    '/api/v1/batches/:id/retry',
    operation('retryBatch', 'workflows:execute', {
      summary: 'Retry the failed rows of a batch',
      description:
        'Runs failed rows again and reuses their completed nodes at no charge. Rows that a provider may have billed (`provider_outcome_unknown`) are retried only with `includeUnknown`.',
      errors: [...RESOURCE_ERRORS, 'conflict'],
      params: BatchParams,
      body: RetryBody,
      response: { 200: Batch },
    }),
    ({ actor, params, body: { includeCancelled = false, includeUnknown = false } }) =>
      retryBatch(deps, actor, params.id, { includeCancelled, includeUnknown }),
  );
  server.delete(
    '/api/v1/batches/:id',
    operation('deleteBatch', 'workflows:execute', {
      summary: 'Delete a batch that has ended',
      description: 'Deletes a batch with its rows. Its executions stay.',
      errors: [...RESOURCE_ERRORS, 'conflict'],
      params: BatchParams,
      response: { 200: Success },
    }),
    req => toSuccess(removeBatch(deps, req.actor, req.params.id)),
  );
  server.get(
    '/api/v1/batches/:id/export',
    operation('exportBatch', 'workflows:read', {
      summary: 'Export the rows of a batch',
      description:
        'Streams the rows as CSV or JSON lines, or a ZIP archive with a file for each result, named `<row>-<key>-<output>`. In CSV, an apostrophe precedes cells that a spreadsheet would read as a formula.',
      params: BatchParams,
      querystring: ExportQuery,
      response: { 200: Plain('text/csv', 'application/x-ndjson', 'application/zip') },
      isUncacheable: true,
      isStreamed: true,
    }),
    async (req, reply) => {
      const { format = 'csv', bom: hasMark = false } = req.query;
      const signal = reply.closeSignal();
      const file = await exportBatch(deps, req.actor, req.params.id, { format, hasMark, signal });
      return reply
        .header('content-type', file.contentType)
        .header('content-disposition', `attachment; filename="${file.name}"`)
        .send(file.stream);
    },
  );
  server.get(
    '/api/v1/batches/:id/events',
    operation('streamBatch', 'workflows:read', {
      summary: 'Stream the events of a batch',
      description:
        'Streams server-sent events: `snapshot` with the batch, then `row` for each row that changes and `batch` with the counts, until the batch has ended. With `Last-Event-ID`, the stream resumes after that event; the response is 204 if no events are left.',
      errors: [...RESOURCE_ERRORS, 'too_many_streams'],
      params: BatchParams,
      headers: Type.Object({ 'last-event-id': Type.Optional(Type.String({ maxLength: 20 })) }),
      response: { 200: BatchEvents, 204: Type.Null() },
      requestHeaders: ['Last-Event-ID'],
    }),
    (req, reply) => {
      const { actor, params } = req;
      const afterId = parseLastEventId(req);
      return streamEvents(deps, req, reply, {
        checkAccess: current => readBatch(deps, current, params.id),
        watch: signal => watchBatch(deps, actor, params.id, { afterId, signal }),
      });
    },
  );
}
