// Tests that each query of the dashboard and the alert rules parses, uses existing metrics and labels, and runs in
// Prometheus if Prometheus is installed.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { parser } from '@prometheus-io/lezer-promql';
import { modelGraph, type PaidService, startPaidService } from '../support/credits/paid.ts';
import { sendRaw } from '../support/http/raw-http.ts';
import { findFreePort } from '../support/network/free-port.ts';
import { waitUntil } from '../support/processes.ts';
import { node } from '../support/workflows.ts';

const DEPLOY = join(import.meta.dirname, '../../deploy');
const RULES = join(DEPLOY, 'prometheus/alerts.yaml');
const PROMETHEUS = '/usr/bin/prometheus';

interface Panel {
  readonly title: string;
  readonly targets: readonly { readonly expr: string }[];
}
const dashboard = JSON.parse(readFileSync(join(DEPLOY, 'grafana/graphwright.json'), 'utf8')) as {
  readonly panels: readonly Panel[];
};
const fillVariables = (expr: string): string =>
  expr.replaceAll('$__rate_interval', '5m').replaceAll('$job', '.*');
const panelQueries = dashboard.panels.flatMap(({ title, targets }) =>
  targets.map(({ expr }) => ({ name: title, expr: fillVariables(expr) })),
);
const alerts = [
  ...readFileSync(RULES, 'utf8').matchAll(/- alert: (?<name>\w+)\n\s+expr: (?<expr>.+)\n/g),
].map(({ groups }) => ({ name: groups?.name ?? '', expr: groups?.expr ?? '' }));

/** The labels that Prometheus adds. */
const SCRAPE_LABELS = ['job', 'instance'];
/** Maps each metric to its labels, as the service writes them. */
type MetricLabels = ReadonlyMap<string, ReadonlySet<string>>;

let paid: PaidService;
let exposed: MetricLabels;
before(async () => {
  paid = await startPaidService({ ALLOW_PRIVATE_NETWORK: 'true', DEFAULT_CREDITS: '0' });
  const user = await paid.newUser(100);
  paid.reset();
  paid.fal.polls = 1e9;
  // Start a call that stays in progress, a run that ends and sends a webhook, and a connection that is refused.
  await user.startRun(await user.createWorkflow(modelGraph()), {});
  const free = { nodes: [node('a', 'input:text', { text: 'x' })], edges: [] };
  await user.runWorkflow(await user.createWorkflow(free), { webhook: { url: `${paid.fal.url}/nothing` } });
  await sendRaw(Number(new URL(paid.service.url).port), 'garbage\r\n\r\n');
  await waitUntil('the series', async () => {
    const text = await scrape();
    exposed = parseMetrics(text);
    return /provider_calls\{.*working/.test(text) && /webhook_attempts_total\{/.test(text);
  });
});
after(() => paid.close());

const scrape = async (): Promise<string> => (await fetch(`${paid.service.url}/metrics`)).text();

function parseMetrics(text: string): MetricLabels {
  const labelsByMetric = new Map<string, Set<string>>([['up', new Set()]]);
  // A metric without series still has its help line.
  for (const [, name = ''] of text.matchAll(/^# HELP (\w+)/gm)) labelsByMetric.set(name, new Set());
  for (const [, name = '', labels = ''] of text.matchAll(/^(\w+)(?:\{(.*)\})? /gm)) {
    const known = labelsByMetric.get(name) ?? new Set();
    for (const [, label = ''] of labels.matchAll(/(\w+)="/g)) known.add(label);
    labelsByMetric.set(name, known);
  }
  return labelsByMetric;
}

/** Returns the names that a query uses, and the positions of its syntax errors. */
function parseQuery(expr: string) {
  const metrics: string[] = [];
  const labels: string[] = [];
  const errors: number[] = [];
  parser.parse(expr).iterate({
    enter({ name, from, to, type }) {
      const text = expr.slice(from, to);
      if (type.isError) errors.push(from);
      if (name === 'Identifier') metrics.push(text);
      if (name === 'LabelName') labels.push(text);
    },
  });
  return { metrics, labels, errors };
}

describe('the queries of dashboards and alerts', () => {
  it('use only existing metrics and labels', () => {
    const problems = [...panelQueries, ...alerts].flatMap(({ name, expr }) => {
      const { metrics, labels, errors } = parseQuery(expr);
      const known = new Set([
        ...SCRAPE_LABELS,
        ...metrics.flatMap(metric => [...(exposed.get(metric) ?? [])]),
      ]);
      return [
        ...errors.map(position => `${name}: an error at ${position} of ${expr}`),
        ...metrics.filter(metric => !exposed.has(metric)).map(metric => `${name}: ${metric} is no metric`),
        ...labels.filter(label => !known.has(label)).map(label => `${name}: ${label} is no label`),
        ...(metrics.length === 0 ? [`${name}: no metric`] : []),
      ];
    });
    assert.deepEqual(problems, []);
    assert.ok(panelQueries.length > 15 && alerts.length > 10);
  });

  it('are parsed with their metrics, labels and syntax errors', () => {
    assert.deepEqual(parseQuery('sum by (route) (rate(a_total{x="1"}[5m])) >').errors.length > 0, true);
    assert.deepEqual(parseQuery('sum by (route) (rate(a_total{x="1"}[5m]))').metrics, ['a_total']);
    assert.deepEqual(parseQuery('sum by (route) (rate(a_total{x="1"}[5m]))').labels, ['route', 'x']);
  });
});

it('promtool accepts the rules and the metrics', async t => {
  if (!existsSync('/usr/bin/promtool'))
    return t.skip('promtool is not installed (apt-get install prometheus)');
  execFileSync('promtool', ['check', 'rules', RULES], { stdio: 'pipe' });
  // The advice of promtool on metric names does not apply to names that prom-client chose.
  const { stderr } = await runPromtool(await scrape());
  assert.doesNotMatch(stderr, /error while linting|parsing/i);
});

async function runPromtool(input: string): Promise<{ readonly stderr: string }> {
  const child = spawn('promtool', ['check', 'metrics'], { stdio: ['pipe', 'ignore', 'pipe'] });
  child.stdin.end(input);
  let stderr = '';
  for await (const part of child.stderr) stderr += String(part);
  return { stderr };
}

it('Prometheus returns data for each panel and fires no alert', async t => {
  if (!existsSync(PROMETHEUS)) return t.skip('prometheus is not installed (apt-get install prometheus)');
  const folder = await mkdtemp(join(tmpdir(), 'graphwright-prometheus-'));
  const port = await findFreePort();
  const config = {
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: [RULES],
    scrape_configs: [
      { job_name: 'graphwright', static_configs: [{ targets: [new URL(paid.service.url).host] }] },
    ],
  };
  // JSON is valid YAML.
  await writeFile(join(folder, 'prometheus.yml'), JSON.stringify(config));
  const child = spawn(
    PROMETHEUS,
    [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--enable-feature=exemplar-storage',
    ],
    { stdio: 'ignore' },
  );
  const exit = new Promise(resolve => child.once('exit', resolve));
  try {
    const fetchData = async (path: string) => {
      const response = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`).catch(() => undefined);
      return response?.status === 200
        ? ((await response.json()) as { data: { result: unknown[]; groups: [] } }).data
        : undefined;
    };
    const query = (expr: string) => fetchData(`query?query=${encodeURIComponent(expr)}`);
    // A rate needs two scrapes.
    await waitUntil('three scrapes', async () => {
      const data = await query('sum_over_time(up{job="graphwright"}[1m]) >= 3');
      return (data?.result.length ?? 0) > 0;
    });
    // Queries are repeated, because a scrape that takes longer than a second leaves a gap in every series.
    const count = async (name: string, expr: string): Promise<number> => {
      const data = await query(expr);
      assert.ok(data, `${name} was refused: ${expr}`);
      return data.result.length;
    };
    for (const { name, expr } of panelQueries)
      await waitUntil(`data of ${name}`, async () => (await count(name, expr)) > 0);
    for (const { name, expr } of alerts)
      await waitUntil(`${name} to be silent`, async () => (await count(name, expr)) === 0);
  } finally {
    child.kill('SIGKILL');
    await exit;
    await rm(folder, { recursive: true, force: true });
  }
});
