// Checks the list of statements on hot paths that concern more than one workspace. A database per group of workspaces
// could not execute them. Add a line with the reason for a new statement.
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
  'of one owner, who is put into the text': [
    'execution-lists selectPage',
    'execution-lists REQUEST',
    'people/sessions isKnownNetwork',
    'people/sessions knowsNetwork',
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
  'of a component, whose callers may be in other workspaces': [
    'workflows/component-callers countHiddenCallers',
    'workflows/component-callers listCallers',
    'workflows/component-callers listCallingWorkflows',
  ],
  'of runs that an earlier part of the same statement found by their ids': [
    'runs ENQUEUE_JOBS',
    'runs INSERT_DELIVERIES',
    'runs INSERT_FOLLOWING',
    'runs INSERT_STEPS',
    'runs UNPARK_RUNS',
    'runs WRITE_RUNS',
    'runs buildNotify',
  ],
  // Limits would be divided among the databases.
  'of a provider, which takes the calls of all workspaces': [
    'call-slots NEXT_WAITING_CALLS',
    'call-slots listDurations',
    'call-slots listLimits',
    'call-slots shrinkLimit',
    'calls readPollSchedule',
    'calls claimDueCalls',
  ],
  // Each database has rows of its own workers, and is read by the processes that serve it.
  'of a worker, which has runs of many workspaces': [
    'calls listRunsWithoutCalls',
    'queue deleteReplacedJobs',
    'workers enqueueParkedRuns',
    'workers listOrphanPools',
    'workers findStrandedWork',
    'workers listWorkersToCheck',
  ],
  // Public templates would be copied to their own table.
  'of what every workspace may read': [
    'workflows/workflows TEMPLATE_COLUMNS',
    'workflows/workflows listTemplateWorkflows',
  ],
  // This would be its own table of address and database.
  'unique over the installation': ['workflows/writes isSlugTaken'],
  'of one owner of credentials, a workspace or the instance': [
    'credentials clearDefault',
    'credentials countCredentials',
    'credentials hasDefaultCredential',
    'credentials listCredentials',
    'credentials listInstanceDefaults',
  ],
  'of one credential': [
    'credential-charges SPENT_TODAY',
    'credentials countCallsInFlight',
    'credentials listCredentialUses',
    'credentials retireValues',
  ],
  'of values that nothing uses any more': ['credentials deleteUnusedValues'],
};

interface Statement {
  readonly name: string;
  readonly isConfined: boolean;
}

const SQL = /[`'(\s](?:select|insert into|update|delete from)\s/;
/** One row, or the rows of one owner: an equality with one value, or inserted values. */
const ONE_ROW_OR_OWNER =
  /(?:workspace|user_id|team_id|workflow_id|execution_id|delivery_id|worker_id|\bid|\bkey|token|hash)\)?\s*=\s*\(?\$\d|values \(\$1/;
/** Rows of a batch, by their ids. */
const ROWS_BY_ID = /any \(\$|json_to_recordset|unnest\(\$/;

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

describe('the statements of the hot paths', () => {
  it('are classified by the rows they name', () => {
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

  it('concern one workspace, with exactly the exceptions in the table', () => {
    const unconfined = statements.filter(({ isConfined }) => !isConfined).map(({ name }) => name);
    assert.deepEqual(unconfined.toSorted(), Object.values(EXCEPTIONS).flat().toSorted());
  });
});
