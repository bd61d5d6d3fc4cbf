// Compares the interfaces of rows, which are written by hand, with the columns of PostgreSQL. A property is compared with
// the columns of its name in the tables that its file mentions.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

const SRC = join(import.meta.dirname, '../../src');

/** What the driver returns for a type. `other` stands for unions of texts and for interfaces of JSON. */
const TYPES: Readonly<Record<string, readonly string[]>> = {
  bool: ['boolean'],
  bytea: ['Buffer'],
  date: ['Date'],
  float8: ['number'],
  int2: ['number'],
  int4: ['number'],
  int8: ['number'],
  json: ['array', 'other'],
  jsonb: ['array', 'other'],
  numeric: ['string'],
  text: ['other', 'string'],
  timestamptz: ['Date'],
  uuid: ['string'],
};

/** Properties that differ from the columns of their name, by reason. */
const EXCEPTIONS: Readonly<Record<string, readonly string[]>> = {
  'another value of the same name': [
    'store/call-slots.ts ProviderLimit.calls',
    'store/comfyui-calls.ts Placement.server',
    'store/comfyui-calls.ts StoredAttempt.error',
    'store/comfyui-calls.ts StoredAttempt.server',
    'store/permissions.ts Invitee.shared_by',
    'store/people/invitations.ts InvitationRow.invited_by',
    'store/run-search.ts RunPageOptions.words',
    'store/runs.ts NewRun.steps',
    'store/runs.ts RunDigest.words',
    'store/runs.ts RunWrite.steps',
    'store/runs.ts SampleRun.steps',
    'store/runs.ts WorkspaceLoad.under_way',
    'store/workload.ts CallCount.state',
    'store/workload.ts JobCount.state',
  ],
  'converted by the statement': [
    'apps/store/app-days.ts AddedUse.day',
    'services/instance/store.ts EncryptedValue.value',
    'store/credential-charges.ts ChargeChange.usd',
    'store/credential-charges.ts CredentialCharge.usd',
    'store/credential-charges.ts CredentialSpending.usd',
    'store/credentials.ts CredentialRow.daily_usd_limit',
    'store/deliveries.ts NewAttempt.next_attempt_at',
    'store/deliveries.ts NewAttempt.started_at',
    'store/overview.ts OwnKeySpending.usd',
    'store/people/sessions.ts ProofRow.proved_at',
    'store/people/sessions.ts SessionRow.proved_at',
    'store/runs.ts IdempotencyUse.body_hash',
    'store/runs.ts NewDelivery.secret',
    'store/workflows/lists.ts WorkflowListRow.created_at',
    'store/workflows/lists.ts WorkflowListRow.updated_at',
  ],
  'not null in the rows that the statement selects': [
    'automation/schedules/store.ts StartableFiring.execution_id',
    'services/content/store.ts ContentCardRow.published_at',
    'store/call-progress.ts PreviewRow.preview',
    'store/call-progress.ts PreviewRow.preview_type',
    'store/comfyui-calls.ts NewPoolCall.needs',
    'store/comfyui-calls.ts NewPoolCall.needs_key',
    'store/comfyui-calls.ts NewPoolCall.pool',
    'store/comfyui-calls.ts WaitingCall.needs_key',
    'store/mails.ts MailAttempt.result',
    'store/mails.ts NewMail.content',
    'store/mails.ts WaitingMail.content',
    'store/retention/old-versions.ts DeletedWorkflow.deleted_at',
    'store/workers.ts OrphanRun.worker_id',
    'store/workflows/published.ts PublishedRow.published_at',
    'store/workflows/published.ts PublishedRow.published_slug',
  ],
  'generated, and never null': [
    'store/call-slots.ts LimitedProvider.limiter',
    'store/call-slots.ts ProviderLimit.limiter',
    'store/calls.ts CallRow.limiter',
  ],
};

interface Value {
  readonly name: string;
  readonly type: string;
  readonly isNullable: boolean;
}

interface Column extends Value {
  readonly table: string;
}

interface Property extends Value {
  readonly owner: string;
}

/** Returns the properties of a file's interfaces, without those of nested objects. */
function listProperties(code: string): readonly Property[] {
  return [...code.matchAll(/^(?:export )?interface (\w+)[^{]*\{\n(.*?)^\}/gms)].flatMap(
    ([, owner = '', body = '']) =>
      [...body.matchAll(/^ {2}readonly (\w+)(\?)?: ([^;]+);$/gm)].map(
        ([, name = '', isOptional, type = '']) => ({
          owner,
          name,
          type: toBaseType(type.replace(/\s*\|\s*(?:null|undefined)\b/g, '')),
          isNullable: isOptional !== undefined || /\bnull\b/.test(type),
        }),
      ),
  );
}

function toBaseType(type: string): string {
  if (type.endsWith('[]')) return 'array';
  return /^(?:boolean|Buffer|Date|number|string)$/.test(type) ? type : 'other';
}

/** Returns whether the property can have the values of one of the columns. */
const fits = (property: Property, columns: readonly Column[]): boolean =>
  columns.some(
    ({ type, isNullable }) =>
      (type.startsWith('_') ? ['array'] : (TYPES[type] ?? [])).includes(property.type) &&
      (property.isNullable || !isNullable),
  );

/** Returns the properties of a file's interfaces that differ from the columns of their name. */
function listDifferences(code: string, columns: readonly Column[]): readonly string[] {
  const tables = new Set(
    [...code.matchAll(/\b(?:from|join|into|update|using) (\w+)/g)].map(([, name]) => name),
  );
  return listProperties(code).flatMap(property => {
    const namesakes = columns.filter(({ table, name }) => tables.has(table) && name === property.name);
    return namesakes.length === 0 || fits(property, namesakes) ? [] : [`${property.owner}.${property.name}`];
  });
}

describe('the interfaces of rows', () => {
  let test: TestDatabase;
  let columns: readonly Column[];
  before(async () => {
    test = await createTestDatabase();
    // Columns of views are nullable for PostgreSQL.
    const { rows } = await test.db.query<Column>(
      `select t.table_name as table, c.column_name as name, c.udt_name as type,
         c.is_nullable = 'YES' and t.table_type <> 'VIEW' as "isNullable"
       from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
       where table_schema = 'public'`,
    );
    columns = rows;
  });
  after(() => test.drop());

  it('have the types of the columns', () => {
    const differences = globSync('**/*.ts', { cwd: SRC })
      .map(file => ({ file, code: readFileSync(join(SRC, file), 'utf8') }))
      .filter(({ code }) => /\bTx\b/.test(code))
      .flatMap(({ file, code }) => listDifferences(code, columns).map(property => `${file} ${property}`));
    assert.deepEqual(differences.toSorted(), Object.values(EXCEPTIONS).flat().toSorted());
  });

  it('are wrong with another type, or without a null that the column has', () => {
    const code = [
      'interface Row {',
      '  readonly id: number;',
      '  readonly workspace: string;',
      '  readonly finished_at: Date;',
      '  readonly started_at: Date | null;',
      '  readonly created_at: string;',
      '  readonly no_column: string;',
      '}',
      "const A = 'select * from executions';",
    ].join('\n');
    assert.deepEqual(listDifferences(code, columns), ['Row.id', 'Row.finished_at', 'Row.created_at']);
  });
});
