// Checks that statements on hot paths concern one workspace, so that each group of workspaces could have its own
// database. Add new exceptions to the list, with a reason.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';

const STORE = join(import.meta.dirname, '../../src/store');

/** The files with the statements of requests, runs, calls and deliveries. Sweeps, backups and administration are not hot. */
const HOT_FILES = [
  'call-slots',
  'calls',
  'credential-charges',
  'credentials',
  'credits',
  'deliveries',
  'execution-lists',
  'executions',
  'keys',
  'media/media',
  'node-cache',
  'people/sessions',
  'queue',
  'rate-windows',
  'runs',
  'workers',
  'workflows/component-callers',
  'workflows/components',
  'workflows/followers',
  'workflows/lists',
  'workflows/versions',
  'workflows/workflows',
  'workflows/writes',
];

/**
 * The file and declaration of each statement, by reason. Group commits are not listed: their rows are named by id, so
 * with several databases a process would have a batcher for each.
 */
const EXCEPTIONS: Readonly<Record<string, readonly string[]>> = {
  'rows of one owner, whose condition is interpolated': [
    'execution-lists selectPage',
    'execution-lists REQUEST',
    'execution-lists LISTED_DETAILS',
    'keys LIST_COLUMNS',
    'people/sessions hasFactorSql',
    'people/sessions isKnownNetworkSql',
    'people/sessions knowsNetwork',
    'people/sessions listClosedTeamsSql',
    'queue selectQueuedJobs',
    'workflows/lists CARD',
    'workflows/lists FILTERS',
    'workflows/lists latestRun',
    'workflows/lists selectWithCallers',
    'workflows/lists buildList',
    'workflows/versions COLUMNS',
    'workflows/versions IS_RUN_AS_COMPONENT',
    'workflows/versions IS_USED',
    'workflows/workflows LOCK',
    'workflows/workflows POSTER',
    'workflows/workflows newestOutput',
    'workflows/workflows selectWithRoles',
  ],
  'callers of a component, which may be in other workspaces': [
    'workflows/component-callers countHiddenCallers',
    'workflows/component-callers listCallers',
    'workflows/component-callers listCallingWorkflows',
  ],
  'runs that an earlier part of the statement selected by id': [
    'runs ENQUEUE_JOBS',
    'runs INSERT_DELIVERIES',
    'runs INSERT_DIGESTS',
    'runs INSERT_FOLLOWING',
    'runs INSERT_STEPS',
    'runs UNPARK_RUNS',
    'runs WRITE_RUNS',
    'runs buildNotify',
  ],
  // With several databases, each database would have a share of the limits.
  'calls of all workspaces to a provider': [
    'call-slots NEXT_WAITING_CALLS',
    'call-slots listDurations',
    'call-slots listLimits',
    'call-slots shrinkLimit',
    'calls getPollSchedule',
    'calls claimDueCalls',
  ],
  // With several databases, each worker would have a row in every database that the worker serves.
  'runs of many workspaces in one worker': [
    'calls listRunsWithoutCalls',
    'queue deleteReplacedJobs',
    'workers enqueueParkedRuns',
    'workers listOrphanPools',
    'workers findStrandedWork',
    'workers listWorkersToCheck',
  ],
  // With several databases, public templates would be copied to a table of their own.
  'public templates': ['workflows/workflows TEMPLATE_COLUMNS'],
  // With several databases, slugs would need a table of their own.
  'slugs that are unique in the installation': ['workflows/writes isSlugTaken'],
  'credentials of one owner, which is a workspace or the instance': [
    'credentials clearDefault',
    'credentials countCredentials',
    'credentials hasDefaultCredential',
    'credentials hasPool',
    'credentials SERVERS',
    'credentials hasServer',
    'credentials listCredentials',
    'credentials listInstanceDefaults',
  ],
  'rows of one credential': [
    'credential-charges SPENT_TODAY',
    'credentials countCallsInFlight',
    'credentials listCredentialUses',
    'credentials retireValues',
  ],
  'credential values that are no longer used': ['credentials deleteUnusedValues'],
};

interface Statement {
  readonly name: string;
  readonly isConfined: boolean;
}

const SQL = /[`'(\s](?:select|insert into|update|delete from)\s/;
/** One row, or the rows of one owner: an equality with one value, or inserted values. */
const ONE_ROW_OR_OWNER =
  /(?:workspace|user_id|team_id|workflow_id|execution_id|delivery_id|worker_id|\bid|\bkey|token|hash)\)?\s*=\s*\(?\$\d|values \(\$1|insert(?:Missing)?Rows?\(/;
/** Rows of a batch, by their ids. */
const ROWS_BY_ID = /any \(\$|json_(?:to|populate)_recordset|unnest\(\$/;

/** Returns the top-level declarations that contain SQL. */
function listStatements(file: string, text: string): readonly Statement[] {
  const code = text.replace(/^\s*(?:\/\/|\*|\/\*).*$/gm, '');
  return code.split(/^(?=(?:export )?(?:async )?(?:const|function) )/m).flatMap(part => {
    const name = /^(?:export )?(?:async )?(?:const|function) (\w+)/.exec(part)?.[1];
    if (name === undefined || !SQL.test(part)) return [];
    return [{ name: `${file} ${name}`, isConfined: ONE_ROW_OR_OWNER.test(part) || ROWS_BY_ID.test(part) }];
  });
}

const statements = HOT_FILES.flatMap(file =>
  listStatements(file, readFileSync(join(STORE, `${file}.ts`), 'utf8')),
);

describe('the SQL statements on hot paths', () => {
  it('are classified by their conditions', () => {
    const text = [
      'const A = `select 1 from executions where workspace = $1`;',
      'const B = `select 1 from executions where id = any ($1::text[]) and user_id = $2`;',
      'const C = `select count(*) from executions`;',
      'const D = 7;',
    ].join('\n');
    assert.deepEqual(
      listStatements('x', text).map(({ name, isConfined }) => [name, isConfined]),
      [
        ['x A', true],
        ['x B', true],
        ['x C', false],
      ],
    );
  });

  it('concern one workspace unless they are listed as exceptions', () => {
    const unconfined = statements.filter(({ isConfined }) => !isConfined).map(({ name }) => name);
    assert.deepEqual(unconfined.toSorted(), Object.values(EXCEPTIONS).flat().toSorted());
  });
});
