// `npm run soak` executes 1,000 runs during kills, freezes and restarts, and then fuzzes for a minute. The seed determines
// the faults and inputs. Exits with 1 if a guarantee was violated.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { fuzzForms } from '../test/soak/fuzz-forms.ts';
import { fuzzSvg } from '../test/soak/fuzz-svg.ts';
import type { SoakOptions } from '../test/soak/plan.ts';
import { describeReport } from '../test/soak/report.ts';
import { soak } from '../test/soak/soak.ts';

const FUZZ_MS = 60_000;
const PARTS = ['runs', 'fuzz'] as const;

// The exit handlers stop the services.
for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => process.exit(130));

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const { only, ...options } = readOptions();
print(`seed ${options.seed}`);
const violations: string[] = [];
if (only !== 'fuzz') await soakRuns(options);
if (only !== 'runs') await fuzz(options.seed);
process.exit(violations.length === 0 ? 0 : 1);

function readOptions(): SoakOptions & { readonly only: string | undefined } {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      runs: { type: 'string', default: '1000' },
      faults: { type: 'string', default: '45' },
      seconds: { type: 'string', default: '240' },
      workers: { type: 'string', default: '3' },
      only: { type: 'string' },
    },
  });
  const { only, ...texts } = values;
  const numbers = Object.values(texts).map(Number);
  if (!numbers.every(number => Number.isInteger(number) && number > 0) || !isPart(only)) {
    print(
      'Usage: npm run soak -- [--seed N] [--runs N] [--faults N] [--seconds N] [--workers N] [--only runs|fuzz]',
    );
    process.exit(2);
  }
  return {
    seed: Number(texts.seed),
    runs: Number(texts.runs),
    faults: Number(texts.faults),
    loadMs: Number(texts.seconds) * 1000,
    workers: Number(texts.workers),
    only,
  };
}

function isPart(text: string | undefined): boolean {
  return text === undefined || PARTS.some(part => part === text);
}

async function soakRuns(options: SoakOptions): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'graphwright-soak-'));
  const report = await soak({ ...options, folder }, print);
  for (const line of describeReport(report)) print(line);
  violations.push(...Object.keys(report.violations));
  if (Object.keys(report.violations).length === 0) await rm(folder, { recursive: true, force: true });
  else print(`The logs, PostgreSQL's files and the media are kept in ${folder}.`);
}

async function fuzz(seed: number): Promise<void> {
  const [svg, forms] = await Promise.all([fuzzSvg(seed, FUZZ_MS), fuzzForms(seed, FUZZ_MS)]);
  for (const [name, result] of Object.entries({ SVG: svg, forms })) {
    const { rounds, accepted } = result;
    print(
      `fuzz of ${name}: ${rounds} rounds in ${FUZZ_MS / 1000} s, ${accepted} accepted, ${rounds - accepted} refused`,
    );
    for (const violation of result.violations) print(`VIOLATED: ${violation}`);
    violations.push(...result.violations);
  }
}
