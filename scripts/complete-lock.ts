// Completes package-lock.json after `npm i`. Pass a folder to complete that folder's lock file instead.
//
// - Adds optional packages of other platforms that the registry mirror does not have. Without these packages, `npm ci` of
//   npm 11 and 12 fails.
// - Removes the packages' `engines`, because npm compares them with the Node that runs npm and warns needlessly. The
//   program runs on the Node of the package `node`.
// - Fills in missing integrity hashes from the registry. Exits with 1 if the registry has none, because
//   test/lock-files.test.ts rejects such a lock file.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface LockEntry {
  readonly version?: string;
  readonly dev?: boolean;
  readonly engines?: unknown;
  readonly link?: boolean;
  readonly integrity?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const OS = /\b(aix|android|darwin|freebsd|linux|netbsd|openbsd|openharmony|sunos|win32)\b/;
const CPU = /\b(arm64|arm|ia32|loong64|mips64el|ppc64|riscv64|s390x|wasm32|x64)\b/;

/** Returns the platform that a package's name contains, by the naming convention of napi-rs and esbuild. */
function parsePlatform(name: string): { os?: string[]; cpu?: string[]; libc?: string[] } {
  const os = OS.exec(name)?.[1];
  const cpu = CPU.exec(name)?.[1];
  const libc = os === 'linux' && (name.includes('musl') ? 'musl' : 'glibc');
  return { ...(cpu && { cpu: [cpu] }), ...(os && { os: [os] }), ...(libc && { libc: [libc] }) };
}

const withoutIntegrity: string[] = [];

/** Adds the integrity hash from the registry. Links and the program itself have none, so their entries stay unchanged. */
function fillIntegrity(path: string, entry: LockEntry): LockEntry {
  if (path === '' || entry.link || entry.integrity !== undefined) return entry;
  const name = `${path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)}@${entry.version}`;
  try {
    const integrity = execFileSync('npm', ['view', name, 'dist.integrity', '--json'], {
      encoding: 'utf8',
      timeout: 60_000,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const { version, ...rest } = entry;
    return { version, integrity: JSON.parse(integrity), ...rest } as LockEntry;
  } catch {
    withoutIntegrity.push(name);
    return entry;
  }
}

const path = join(import.meta.dirname, '..', process.argv[2] ?? '.', 'package-lock.json');
const lock: { packages: Record<string, LockEntry> } = JSON.parse(readFileSync(path, 'utf8'));
const addedPackages: string[] = [];
for (const [parent, entry] of Object.entries(lock.packages)) {
  // Only packages of platforms have exact versions. Optional dependencies with a range are ordinary packages.
  for (const [name, version] of Object.entries(parent === '' ? {} : (entry.optionalDependencies ?? {}))) {
    const path = `node_modules/${name}`;
    if (
      lock.packages[path] !== undefined ||
      lock.packages[`${parent}/${path}`] !== undefined ||
      !/^\d/.test(version)
    )
      continue;
    lock.packages[path] = {
      version,
      ...(entry.dev && { dev: true }),
      optional: true,
      ...parsePlatform(name),
    } as LockEntry;
    addedPackages.push(`${name}@${version}`);
  }
}
const packages = Object.fromEntries(
  Object.entries(lock.packages)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, { engines: _, ...entry }]) => [path, fillIntegrity(path, entry)]),
);
writeFileSync(path, `${JSON.stringify({ ...lock, packages }, null, 2)}\n`);
process.stdout.write(
  addedPackages.length === 0 ? 'Nothing was missing.\n' : `Added ${addedPackages.join(', ')}.\n`,
);
if (withoutIntegrity.length > 0) {
  process.stderr.write(`The registry has no integrity for ${withoutIntegrity.join(', ')}.\n`);
  process.exitCode = 1;
}
