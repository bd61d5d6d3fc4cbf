// Lists the slow tests: `npm test` runs all, `npm run test:fast` only those not listed here. Slow tests start services
// or other processes, wait for real time to pass, or draw, encode or fuzz at length.
import { globSync } from 'node:fs';
import { matchesGlob } from 'node:path';

/** Patterns below `test/` by reason. */
const SLOW: Readonly<Record<string, readonly string[]>> = {
  'starts services or processes': [
    'apps/{app-page,limits-and-files,paid-apps,visitors}.test.ts',
    'automation/batches/*.test.ts',
    'automation/schedules/*-*.test.ts',
    'automation/tables/*.test.ts',
    'automation/triggers/*.test.ts',
    'http/notices/*.test.ts',
    'automation/schedules/schedules.test.ts',
    'cli/*.test.ts',
    'codecs/**',
    'deploy/**',
    'docs.test.ts',
    'editor/*.test.ts',
    'editor/flow/**',
    'jobs/**',
    'http/event-loop/**',
    'http/operator/**',
    'http/openapi/examples.test.ts',
    'http/pages/reference.test.ts',
    'http/protocol/{limits-processes,open-streams,shutdown}.test.ts',
    'http/runs/{as-sent,code-node,code-node-everywhere,deliveries,execution-events,large-records,resume,run-rules,runs,workflow-results}.test.ts',
    'http/workflows/{templates,workflow-events}.test.ts',
    'mcp/oauth/{clients,consent-page,documents-over-https,outage,processes}.test.ts',
    'lib/{compile-cache,secrets-key}.test.ts',
    'mcp/{components,conformance,other-clients,scripted-agent,tools,waiting}.test.ts',
    'nodes/catalog.test.ts',
    'nodes/models/published-requests.test.ts',
    'runs/{changed-models,charges,component-starts,credentials,dispatch,examples,node-cache,provider-slots}.test.ts',
    'sdk/**',
    'services/accounts/bootstrap.test.ts',
    'services/media/{killed-between-file-and-row,storage-usage,sweep-outputs}.test.ts',
    'services/webhooks/deliver-webhook.test.ts',
    'telemetry/**',
    'upgrade/**',
    'store/{embedded,embedded-accounts,embedded-faults,embedded-lock}.test.ts',
  ],
  'waits for real time': [
    'http/accounts/keys.test.ts',
    'http/protocol/{headers,limits,metrics}.test.ts',
    'http/sessions/{openid,streams}.test.ts',
    'runs/{bad-providers,cancelled-calls,cost-limits,decoder-queue,hooks,paid-*,waiting}.test.ts',
    'store/listen.test.ts',
  ],
  'looks at what its process has loaded': ['mcp/at-rest.test.ts'],
  'draws, encodes or fuzzes': [
    'http/media/**',
    'http/renders/**',
    'http/openapi/generated.test.ts',
    'http/protocol/bad-input.test.ts',
    'media/{images,svg-attacks}.test.ts',
    'nodes/{renderer,sandbox,sandbox-video,video}.test.ts',
    'render/**',
    'runs/{estimate-run,svg-runs}.test.ts',
    'soak/**',
  ],
};

/** All patterns, for the test that finds unused ones. */
export const SLOW_PATTERNS: readonly string[] = Object.values(SLOW).flat();

interface SplitTests {
  readonly fast: readonly string[];
  readonly slow: readonly string[];
}

let split: SplitTests | undefined;

/** The test files, relative to `test/`. */
export function splitTests(): SplitTests {
  split ??= readTests();
  return split;
}

function readTests(): SplitTests {
  const files = globSync('**/*.test.ts', {
    cwd: import.meta.dirname,
    exclude: ['**/node_modules/**'],
  }).sort();
  const isSlow = (file: string): boolean => SLOW_PATTERNS.some(pattern => matchesGlob(file, pattern));
  return { fast: files.filter(file => !isSlow(file)), slow: files.filter(isSlow) };
}
