// `node scripts/hosts.ts` executes 2,000 paid runs on seven hosts, which are network namespaces of this machine. Meanwhile,
// it kills one host of each kind and cuts off one worker. Exits with 1 if a guarantee was violated. Prints the reason and
// exits with 0 if this machine cannot create the hosts, which needs root on Linux.
//
//   --short    fewer runs in a shorter time
//   --cluster  PostgreSQL on three hosts under Patroni. Only these fail: one is killed, one is cut off and comes back, one
//              is switched over, and the leader of etcd is killed.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { testOnHosts } from '../test/hosts/hosts.ts';
import { findNetworkProblem } from '../test/hosts/network.ts';
import { findPatroniProblem } from '../test/hosts/patroni.ts';

// Each process adds an exit listener.
process.setMaxListeners(50);
for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => process.exit(130));

const MAX_PRINTED = 10;
const FULL = { runs: '2000', seconds: '120', cut: '30' } as const;
// The failovers take about 200 s.
const CLUSTER = { runs: '2000', seconds: '300', cut: '0' } as const;
const SHORT_CLUSTER = { ...CLUSTER, runs: '300' } as const;
const SHORT = { runs: '80', seconds: '6', cut: '8' } as const;

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    cluster: { type: 'boolean', default: false },
    seed: { type: 'string', default: '1' },
    runs: { type: 'string' },
    seconds: { type: 'string' },
    cut: { type: 'string' },
  },
});
const skipReason = (await findNetworkProblem()) ?? (values.cluster ? findPatroniProblem() : undefined);
if (skipReason !== undefined) {
  print(`Skipped: ${skipReason}.`);
  process.exit(0);
}
const PLANS = values.cluster ? { full: CLUSTER, short: SHORT_CLUSTER } : { full: FULL, short: SHORT };
const { runs, seconds, cut }: { readonly runs: string; readonly seconds: string; readonly cut: string } = {
  ...(values.short ? PLANS.short : PLANS.full),
  ...values,
};
const folder = await mkdtemp(join(tmpdir(), 'graphwright-hosts-'));
const startMs = performance.now();
const options = {
  seed: Number(values.seed),
  runs: Number(runs),
  loadMs: Number(seconds) * 1000,
  cutMs: Number(cut) * 1000,
  folder,
  isCluster: values.cluster,
};
const report = await testOnHosts(options, print);
const { violations, ...counts } = report;
for (const [name, value] of Object.entries(counts)) print(`${name.padEnd(10)} ${JSON.stringify(value)}`);
for (const [guarantee, lines] of Object.entries(violations)) {
  print(`VIOLATED: ${guarantee} (${lines.length})`);
  for (const line of lines.slice(0, MAX_PRINTED)) print(`  ${line}`);
}
const areGuaranteesKept = Object.keys(violations).length === 0;
print(
  areGuaranteesKept
    ? 'Every guarantee held.'
    : `The logs, PostgreSQL's files and the bucket are kept in ${folder}.`,
);
print(`${((performance.now() - startMs) / 1000).toFixed(0)} s`);
if (areGuaranteesKept) await rm(folder, { recursive: true, force: true });
process.exit(areGuaranteesKept ? 0 : 1);
