// Registers the routes of tables, over which batches run.
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { createTable, MAX_TABLE_BYTES, type TableFormat } from '../../automation/tables/create-table.ts';
import { listTablePage, readTable, removeTable } from '../../automation/tables/read-table.ts';
import { Table, TablePage, TableParams, TableQuery } from '../../automation/tables/table.schema.ts';
import { findCharset } from '../../lib/charset.ts';
import { AppError } from '../../lib/errors.ts';
import { freeAfterUse } from '../../lib/freeing.ts';
import type { RunDeps } from '../../runs/deps.ts';
import { Success } from '../../services/accounts/account.schema.ts';
import { PageQuery } from '../../services/paging.ts';
import type { Server } from '../deps.ts';
import { isForm, readForm, registerForms } from '../form.ts';
import { createDescriber, RESOURCE_ERRORS, setCreated, toSuccess } from '../route.ts';

const operation = createDescriber('Batches');

/** The format that a content type says. Others are found from the content. */
const TABLE_TYPES = {
  'text/csv': undefined,
  'text/tab-separated-values': undefined,
  'text/plain': undefined,
  'application/csv': undefined,
  'application/x-ndjson': 'jsonl',
  'application/jsonl': 'jsonl',
  'application/json': 'jsonl',
} as const;

/** Returns the format that the content type of a table says. */
const findTableFormat = (contentType = ''): TableFormat | undefined =>
  (TABLE_TYPES as Readonly<Record<string, TableFormat | undefined>>)[
    contentType.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  ];

const UNSUPPORTED_TYPE =
  'Send the table as text/csv, text/tab-separated-values, text/plain, application/x-ndjson or application/json, or as a file in multipart/form-data. Save a workbook as CSV first.';

/** The maximum size of a form with a table. */
const MAX_FORM_BYTES = MAX_TABLE_BYTES + 65_536;

/** Registers the routes of tables. The upload has its own scope, because it reads the body itself. */
export function registerTables(server: Server, deps: RunDeps): void {
  server.get(
    '/api/v1/tables',
    operation('listTables', 'workflows:execute', {
      summary: 'List the tables that you uploaded',
      description:
        'Returns your tables of the last 24 hours, newest first, without columns, samples and problems.',
      querystring: PageQuery,
      response: { 200: TablePage },
    }),
    req => listTablePage(deps, req.actor, req.query),
  );
  server.get(
    '/api/v1/tables/:id',
    operation('getTable', 'workflows:execute', {
      summary: 'Read a table',
      description: 'Returns the columns, a sample and the problems of a table that you uploaded.',
      errors: RESOURCE_ERRORS,
      params: TableParams,
      response: { 200: Table },
    }),
    req => readTable(deps, req.actor, req.params.id),
  );
  server.delete(
    '/api/v1/tables/:id',
    operation('deleteTable', 'workflows:execute', {
      summary: 'Delete a table',
      description: 'Deletes a table. Batches that it has started keep their rows.',
      errors: RESOURCE_ERRORS,
      params: TableParams,
      response: { 200: Success },
    }),
    req => toSuccess(removeTable(deps, req.actor, req.params.id)),
  );
  void server.register(async (scope: Server) => {
    registerForms(scope);
    scope.removeContentTypeParser('application/json');
    for (const type of Object.keys(TABLE_TYPES))
      scope.addContentTypeParser(type, (_req, _payload, done) => done(null));
    scope.addContentTypeParser('*', (_req, _payload, done) => {
      done(new AppError('unsupported_type', UNSUPPORTED_TYPE));
    });
    scope.post(
      '/api/v1/tables',
      {
        bodyLimit: MAX_FORM_BYTES,
        ...operation('createTable', 'workflows:execute', {
          summary: 'Upload a table',
          description:
            'Reads a table of up to 50 MB for a batch: the raw file, or a form with `file`. Format, delimiter and encoding are detected from the content, unless you name them. A file whose encoding is neither named nor certain is refused with 400. `problems` lists invalid rows. Tables are deleted after 24 hours.',
          errors: ['conflict', 'file_too_large', 'storage_quota_exceeded', 'unsupported_type'],
          querystring: TableQuery,
          consumes: [...Object.keys(TABLE_TYPES), 'multipart/form-data'],
          body: Type.Unknown({ description: 'The file, or a form with `file`' }),
          response: { 201: Table },
        }),
      },
      async (req, reply) => {
        const { format, delimiter, encoding } = req.query;
        let contentType = req.headers['content-type'];
        const source = isForm(req)
          ? readFormFile(req, type => {
              contentType = type;
            })
          : freeAfterUse(req.raw.iterator({ destroyOnReturn: false }));
        const findEncoding = () => {
          const name = encoding ?? findCharset(contentType);
          return name === undefined ? undefined : { name, isChosen: encoding !== undefined };
        };
        const findFormat = () => format ?? findTableFormat(contentType);
        const file = { source, delimiter, findFormat, findEncoding };
        const table = await createTable(deps, req.actor, file, reply.closeSignal());
        return setCreated(deps, reply, `/api/v1/tables/${table.tableId}`).send(table);
      },
    );
  });
}

/** Yields the first file of a form, and passes on its content type. */
async function* readFormFile(
  req: FastifyRequest,
  onType: (contentType: string | undefined) => void,
): AsyncGenerator<Uint8Array> {
  for await (const part of readForm(req, MAX_TABLE_BYTES)) {
    if (!('source' in part)) continue;
    onType(part.declaredContentType);
    yield* part.source;
    return;
  }
  throw new AppError('invalid_request', 'The form has no file.');
}
