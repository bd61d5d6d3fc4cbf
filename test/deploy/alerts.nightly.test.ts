// Evaluates each alert rule with promtool. A rule must fire on time for its failing series and never for its healthy
// series.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { findOnPath } from '../../src/lib/settings.ts';

const RULES = join(import.meta.dirname, '../../deploy/prometheus/alerts.yaml');
const PROMTOOL = findOnPath('promtool');
/** The minute at which every rule has been evaluated, which is later than every `for` and every rate window. */
const LAST_MINUTE = 90;

/** Values per minute in promtool notation: `0+3x120` starts at 0 and grows by 3. */
type Series = Readonly<Record<string, string>>;

interface AlertCase {
  readonly bad: Series;
  readonly good: Series;
  /** The last minute at which the alert must not fire yet. Undefined if the alert fires immediately. */
  readonly quietUntilMin: number | undefined;
}

const constant = (value: number): string => `${value}x120`;
const growing = (byMinute: number): string => `0+${byMinute}x120`;
/** Returns the name of a series with the labels that Prometheus adds. */
const metric = (name: string, labels = ''): string =>
  `${name}{job="graphwright",instance="a"${labels && `,${labels}`}}`;

const requests = (status: number, kind = 'count', extraLabels = ''): string =>
  metric(
    `http_server_request_duration_seconds_${kind}`,
    `http_request_method="GET",http_route="/api/v1/workflows/:id",http_response_status_code="${status}"${extraLabels}`,
  );
/** Returns the series of 100 reads per minute, of which `slow` take more than a second. */
const reads = (slow: number): Series => ({
  [requests(200, 'bucket', ',le="1"')]: growing(100 - slow),
  [requests(200, 'bucket', ',le="2.5"')]: growing(100),
  [requests(200, 'bucket', ',le="+Inf"')]: growing(100),
});
const finished = (status: string): string => metric('graphwright_runs_finished_total', `status="${status}"`);
const gauge = (
  name: string,
  labels: string,
  bad: number,
  good: number,
  quietUntilMin: number,
): AlertCase => ({
  bad: { [metric(name, labels)]: constant(bad) },
  good: { [metric(name, labels)]: constant(good) },
  quietUntilMin,
});
const attempts = (outcome: string): string =>
  metric('graphwright_webhook_attempts_total', `outcome="${outcome}"`);
const mails = (outcome: string): string => metric('graphwright_mail_attempts_total', `outcome="${outcome}"`);

const CASES: Readonly<Record<string, AlertCase>> = {
  GraphwrightDown: gauge('up', '', 0, 1, 1),
  GraphwrightErrors: {
    bad: { [requests(200)]: growing(980), [requests(503)]: growing(20) },
    good: { [requests(200)]: growing(995), [requests(503)]: growing(5), [requests(404)]: growing(500) },
    quietUntilMin: 9,
  },
  GraphwrightSlow: { bad: reads(5), good: reads(0), quietUntilMin: 14 },
  GraphwrightQueueBehind: gauge('graphwright_queue_oldest_ready_seconds', 'task="run"', 61, 59, 4),
  GraphwrightJobsGivenUp: gauge('graphwright_queue_jobs', 'task="run",state="failed"', 1, 0, 14),
  GraphwrightRunsFail: {
    bad: {
      [finished('COMPLETED')]: growing(70),
      [finished('FAILED')]: growing(20),
      [finished('TIMEOUT')]: growing(10),
    },
    good: {
      [finished('COMPLETED')]: growing(81),
      [finished('FAILED')]: growing(19),
      [finished('CANCELLED')]: growing(40),
    },
    quietUntilMin: 14,
  },
  GraphwrightProviderStalls: gauge(
    'graphwright_provider_oldest_call_seconds',
    'provider="fal",state="working"',
    1501,
    1499,
    4,
  ),
  GraphwrightProviderFull: gauge(
    'graphwright_provider_oldest_call_seconds',
    'provider="fal",state="queued"',
    301,
    299,
    9,
  ),
  GraphwrightWebhooksExhausted: {
    // The counter rises by one in the last hour.
    bad: { [attempts('exhausted')]: '0x80 1x40' },
    good: { [attempts('exhausted')]: '0x5 1x115', [attempts('failed')]: growing(50) },
    quietUntilMin: undefined,
  },
  GraphwrightWebhookBacklog: gauge('graphwright_queue_jobs', 'task="deliver",state="ready"', 1001, 1000, 9),
  GraphwrightMailFailed: {
    bad: { [mails('failed')]: '0x80 1x40' },
    good: { [mails('failed')]: '0x5 1x115', [mails('retried')]: growing(50) },
    quietUntilMin: undefined,
  },
  GraphwrightMailBacklog: gauge('graphwright_mails', 'state="waiting"', 101, 100, 14),
  GraphwrightEventLoopLag: gauge('nodejs_eventloop_lag_p99_seconds', '', 0.3, 0.2, 9),
  GraphwrightDatabaseWaits: gauge(
    'graphwright_database_connections',
    'pool="main",state="waiting"',
    21,
    20,
    4,
  ),
  GraphwrightDatabaseSilent: {
    bad: { [metric('up')]: constant(1) },
    good: { [metric('up')]: constant(1), [metric('graphwright_credits_reserved')]: constant(0) },
    quietUntilMin: 4,
  },
};

/** Returns a query for the number of firing alerts with that name, which always has one value. */
const countFiring = (alert: string): string =>
  `count(ALERTS{alertname="${alert}",alertstate="firing"}) or on() vector(0)`;

/** Creates a promtool test. Each expectation is a minute, and 1 if the alert must fire at that time. */
const createTest = (
  alert: string,
  series: Series,
  expectations: readonly (readonly [minute: number, value: number])[],
) => ({
  interval: '1m',
  input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
  promql_expr_test: expectations.map(([minute, value]) => ({
    expr: countFiring(alert),
    eval_time: `${minute}m`,
    exp_samples: [{ labels: '{}', value }],
  })),
});

describe('the alert rules', {
  skip: PROMTOOL === undefined && 'promtool is not installed (apt-get install prometheus)',
}, () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'graphwright-alerts-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  /** Returns the errors that promtool reports, or an empty text if there are none. */
  async function runPromtool(tests: readonly object[]): Promise<string> {
    const file = join(folder, 'tests.yaml');
    // JSON is valid YAML.
    await writeFile(file, JSON.stringify({ rule_files: [RULES], evaluation_interval: '1m', tests }));
    const { status, stdout, stderr } = spawnSync(PROMTOOL ?? '', ['test', 'rules', file], {
      encoding: 'utf8',
    });
    return status === 0 ? '' : stdout + stderr;
  }

  it('are all tested', () => {
    const names = [...readFileSync(RULES, 'utf8').matchAll(/- alert: (\w+)/g)].map(([, name]) => name);
    assert.deepEqual(Object.keys(CASES), names);
  });

  it('fire on time for failing series', async () => {
    const tests = Object.entries(CASES).map(([alert, { bad, quietUntilMin: quiet }]) =>
      // A rate needs a second scrape.
      createTest(alert, bad, [
        ...(quiet === undefined
          ? []
          : ([
              [quiet, 0],
              [quiet + 2, 1],
            ] as const)),
        [LAST_MINUTE, 1],
      ]),
    );
    assert.equal(await runPromtool(tests), '');
  });

  it('do not fire for series just below their limits', async () => {
    const tests = Object.entries(CASES).map(([alert, { good }]) =>
      createTest(alert, good, [[LAST_MINUTE, 0]]),
    );
    assert.equal(await runPromtool(tests), '');
  });

  it('fail the promtool test if an expectation is wrong', async () => {
    const { good } = CASES.GraphwrightDown as AlertCase;
    assert.match(await runPromtool([createTest('GraphwrightDown', good, [[LAST_MINUTE, 1]])]), /FAILED/);
  });
});
