// Runs the official MCP conformance suite against our endpoint, with the fixtures of the suite and without them.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createTestApp, type TestApp, type TestAppOptions } from '../support/app.ts';
import { createFixtureMount } from '../support/mcp/fixture-mount.ts';
import { findFreePort } from '../support/network/free-port.ts';
import { type KeyProxy, startKeyProxy } from '../support/network/key-proxy.ts';
import { getPeerProgram, NO_PEERS, PEER_MODULES } from '../support/peers.ts';

/** How many scenarios each revision requires of servers. */
const REQUIRED = { '2025-11-25': 30, '2026-07-28': 37 } as const;
type Revision = keyof typeof REQUIRED;

/** The scenarios that need no fixtures. */
const WITHOUT_FIXTURE: Readonly<Record<Revision, readonly string[]>> = {
  '2025-11-25': [
    'server-initialize',
    'ping',
    'tools-list',
    'server-sse-multiple-streams',
    'resources-list',
    'prompts-list',
    'dns-rebinding-protection',
  ],
  '2026-07-28': [
    'tools-list',
    'server-sse-multiple-streams',
    'resources-list',
    'sep-2164-resource-not-found',
    'prompts-list',
    'dns-rebinding-protection',
    'caching',
    'input-required-result-unsupported-methods',
  ],
};

/** The checks of the scenario `server-stateless` that call tools of the suite. */
const STATELESS_WITH_FIXTURE = [
  'sep-2575-http-server-no-independent-requests-on-stream',
  'sep-2575-missing-capability-http-400',
  'sep-2575-server-no-log-without-loglevel',
  'sep-2575-server-rejects-undeclared-capability',
];

interface ServerToCheck {
  readonly url: string;
  close(): Promise<void>;
}

async function serve(options: TestAppOptions): Promise<ServerToCheck> {
  const test: TestApp = await createTestApp(options);
  const port = await findFreePort();
  await test.app.listen({ port, host: '127.0.0.1' });
  const { key } = await test.createUser();
  const proxy: KeyProxy = await startKeyProxy(`http://127.0.0.1:${port}`, key);
  return {
    url: `${proxy.url}/mcp`,
    close: async () => {
      await proxy.close();
      await test.close();
    },
  };
}

/** Returns the names of the scenarios that a revision requires of servers. */
async function listRequired(revision: Revision): Promise<readonly string[]> {
  const path = join(PEER_MODULES, '@modelcontextprotocol/conformance/requirements', `${revision}.yaml`);
  const [, list = ''] = /^server:\n((?: {2}- .*\n)+)/m.exec(await readFile(path, 'utf8')) ?? [];
  return list.split('\n').flatMap(line => line.match(/[\w-]{2,}/) ?? []);
}

interface Check {
  readonly id: string;
  readonly status: string;
  readonly errorMessage?: string;
}

/** Runs the suite, and returns the checks of each scenario. */
async function runSuite(url: string, revision: Revision): Promise<ReadonlyMap<string, readonly Check[]>> {
  const folder = await mkdtemp(join(tmpdir(), 'graphwright-conformance-'));
  const program = getPeerProgram('conformance');
  const args = [program, 'server', '--url', url, '--requirements', revision, '-o', folder];
  try {
    // The exit code is not checked, because the files list the failed checks.
    await new Promise(resolve => execFile(process.execPath, args, { maxBuffer: 1e8 }, resolve));
    const names = await readdir(folder);
    const entries = names.map(async (name): Promise<[string, readonly Check[]]> => {
      const checks = await readFile(join(folder, name, 'checks.json'), 'utf8');
      return [name.replace(/^server-|-\d{4}-\d\d-\d\dT[\w-]+$/g, ''), JSON.parse(checks) as Check[]];
    });
    return new Map(await Promise.all(entries));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns the checks with one of the statuses, or a failure if the scenario did not run. */
const filterChecks = (checks: readonly Check[] | undefined, statuses: readonly string[]): readonly Check[] =>
  checks === undefined
    ? [{ id: 'did not run', status: 'FAILURE' }]
    : checks.filter(({ status }) => statuses.includes(status));

const formatChecks = (checks: readonly Check[]): string =>
  checks.map(({ id, errorMessage }) => `${id}: ${errorMessage}`).join('\n');

const REVISIONS = Object.keys(REQUIRED) as Revision[];

describe('our MCP endpoint with the fixtures of the suite', { skip: NO_PEERS }, () => {
  let server: ServerToCheck;
  before(async () => {
    server = await serve({ createMcp: createFixtureMount });
  });
  after(() => server.close());

  for (const revision of REVISIONS)
    it(`passes all ${REQUIRED[revision]} scenarios that ${revision} requires`, async () => {
      const required = await listRequired(revision);
      assert.equal(required.length, REQUIRED[revision]);
      const scenarios = await runSuite(server.url, revision);
      for (const name of required) {
        const failedChecks = filterChecks(scenarios.get(name), ['FAILURE', 'WARNING']);
        assert.deepEqual(failedChecks, [], `${name}: ${formatChecks(failedChecks)}`);
        assert.ok(
          scenarios.get(name)?.some(({ status }) => status === 'SUCCESS'),
          `${name} checked nothing`,
        );
      }
    });
});

describe('the service without fixtures', { skip: NO_PEERS }, () => {
  let server: ServerToCheck;
  before(async () => {
    server = await serve({});
  });
  after(() => server.close());

  for (const revision of REVISIONS)
    it(`passes the scenarios of ${revision} that need no fixtures`, async () => {
      const scenarios = await runSuite(server.url, revision);
      for (const name of WITHOUT_FIXTURE[revision]) {
        // Warnings are allowed, because the suite warns about the lack of sessions.
        const failedChecks = filterChecks(scenarios.get(name), ['FAILURE']);
        assert.deepEqual(failedChecks, [], `${name}: ${formatChecks(failedChecks)}`);
      }
      const statelessChecks = scenarios.get('server-stateless');
      if (revision === '2026-07-28')
        assert.deepEqual(
          filterChecks(statelessChecks, ['FAILURE', 'WARNING'])
            .map(({ id }) => id)
            .sort(),
          STATELESS_WITH_FIXTURE,
        );
    });
});
