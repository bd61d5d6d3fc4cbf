// Completes package-lock.json after `npm i`; pass a folder for the lock file of peers. Adds the optional packages of
// other platforms that a registry mirror did not offer when the lock was written: npm 11 and 12 refuse `npm ci` without
// them, and other platforms need them. Removes the packages' `engines`: npm compares them with the Node it runs on and
// warns needlessly, since our Node comes from the package `node`. Fills in missing integrity from the registry, and
// exits with 1 if the registry has none, because test/lock-files.test.ts refuses such a lock.
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

/** Returns the platform in a package's name, by the naming convention of napi-rs and esbuild. */
function parsePlatform(name: string): { os?: string[]; cpu?: string[]; libc?: string[] } {
  const os = OS.exec(name)?.[1];
  const cpu = CPU.exec(name)?.[1];
  const libc = os === 'linux' && (name.includes('musl') ? 'musl' : 'glibc');
  return { ...(cpu && { cpu: [cpu] }), ...(os && { os: [os] }), ...(libc && { libc: [libc] }) };
}

const unverified: string[] = [];

/** Completes the entry with the registry's data. Entries that are not packages, or are linked, are not looked up. */
function fillIntegrity(path: string, entry: LockEntry): LockEntry {
  if (path === '' || entry.link || entry.integrity !== undefined) return entry;
  const name = `${path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)}@${entry.version}`;
  try {
    const found = execFileSync('npm', ['view', name, 'dist.integrity', '--json'], {
      encoding: 'utf8',
      timeout: 60_000,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const { version, ...rest } = entry;
    return { version, integrity: JSON.parse(found), ...rest } as LockEntry;
  } catch {
    unverified.push(name);
    return entry;
  }
}

const path = join(import.meta.dirname, '..', process.argv[2] ?? '.', 'package-lock.json');
const lock: { packages: Record<string, LockEntry> } = JSON.parse(readFileSync(path, 'utf8'));
const added: string[] = [];
for (const [parent, entry] of Object.entries(lock.packages)) {
  // Exact versions mark platform packages; a range is an ordinary optional dependency.
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
    added.push(`${name}@${version}`);
  }
}
const packages = Object.fromEntries(
  Object.entries(lock.packages)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, { engines: _, ...entry }]) => [path, fillIntegrity(path, entry)]),
);
writeFileSync(path, `${JSON.stringify({ ...lock, packages }, null, 2)}\n`);
process.stdout.write(added.length === 0 ? 'Nothing was missing.\n' : `Added ${added.join(', ')}.\n`);
if (unverified.length > 0) {
  process.stderr.write(`The registry has no integrity for ${unverified.join(', ')}.\n`);
  process.exitCode = 1;
}
