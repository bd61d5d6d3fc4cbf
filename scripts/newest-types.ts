// Compares the pinned versions of the providers' type packages with the newest versions, or with versions in the arguments,
// such as @fal-ai/client@1.9.0. Installs the packages in a separate folder, lists the changes of the shipped models of fal,
// and tests all requests against the new types. Exits with 1 if a request does not fit a new type.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readShippedModels } from '../src/nodes/models/shipped.ts';
import { NO_PEERS, PEERS } from '../test/support/peers.ts';
import { type FalEndpoint, readFalTypes } from './fal-types.ts';

const ROOT = join(import.meta.dirname, '..');
if (NO_PEERS) throw new Error(`${NO_PEERS}.`);
const PACKAGES = ['@fal-ai/client', 'openai', '@elevenlabs/elevenlabs-js', 'replicate'] as const;
const TEST = 'test/nodes/models/published-requests.nightly.test.ts';
const MAX_NAMES = 20;

function readPackageVersion(root: string, name: string): string {
  const text = readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version;
}

function compareFal(before: ReadonlyMap<string, FalEndpoint>, after: ReadonlyMap<string, FalEndpoint>): void {
  printNames(
    '+ new at fal',
    [...after.keys()].filter(endpoint => !before.has(endpoint)),
  );
  printNames(
    '- removed from fal',
    [...before.keys()].filter(endpoint => !after.has(endpoint)),
  );
  for (const { provider, endpoint } of readShippedModels()) {
    const [oldEndpoint, newEndpoint] = [before.get(endpoint), after.get(endpoint)];
    if (provider !== 'fal' || oldEndpoint === undefined) continue;
    if (newEndpoint === undefined) print(`- ${endpoint} is shipped and was removed`);
    else for (const change of listChanges(oldEndpoint, newEndpoint)) print(`~ ${endpoint} ${change}`);
  }
}

function printNames(title: string, names: readonly string[]): void {
  const ellipsis = names.length > MAX_NAMES ? ', …' : '';
  print(
    `${title}: ${names.length}${names.length > 0 ? ` (${names.slice(0, MAX_NAMES).join(', ')}${ellipsis})` : ''}`,
  );
}

function listChanges(oldEndpoint: FalEndpoint, newEndpoint: FalEndpoint): readonly string[] {
  const [before, after] = [getFields(oldEndpoint), getFields(newEndpoint)];
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.flatMap(name => {
    if (after[name] === undefined) return `no longer accepts ${name}`;
    if (before[name] === undefined) return `accepts ${name}`;
    const isSame = JSON.stringify(before[name]) === JSON.stringify(after[name]);
    return isSame ? [] : `changes ${name}: ${JSON.stringify(after[name])}`;
  });
}

const getFields = ({ input }: FalEndpoint): Readonly<Record<string, unknown>> =>
  (input.properties ?? {}) as Readonly<Record<string, unknown>>;

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

const folder = mkdtempSync(join(tmpdir(), 'newest-types-'));
try {
  const requested = process.argv.slice(2);
  const packages = PACKAGES.map(
    name => requested.find(item => item.startsWith(`${name}@`)) ?? `${name}@latest`,
  );
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error', '--ignore-scripts'];
  execFileSync('npm', ['install', '--prefix', folder, ...quiet, ...packages], { stdio: 'inherit' });
  for (const name of PACKAGES) {
    const [pinnedVersion, newVersion] = [readPackageVersion(PEERS, name), readPackageVersion(folder, name)];
    print(
      pinnedVersion === newVersion
        ? `= ${name} ${pinnedVersion}`
        : `~ ${name} ${pinnedVersion} → ${newVersion}`,
    );
  }
  compareFal(readFalTypes(), readFalTypes(join(folder, 'node_modules')));
  const { status } = spawnSync(process.execPath, ['--test', TEST], {
    cwd: ROOT,
    env: { ...process.env, PUBLISHED_TYPES: folder },
    stdio: 'inherit',
  });
  process.exitCode = status === 0 ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
