// Keeps only the packages of a lock file that a manifest needs, resolving each name as Node does.

interface LockEntry {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly peer?: boolean;
}

export interface Lock {
  readonly lockfileVersion: number;
  readonly packages: Readonly<Record<string, LockEntry>>;
}

/** Returns the `packages` of a lock file for this manifest. Peers that no other package needs are left out. */
export function pruneLock<M extends LockEntry>(
  { packages }: Lock,
  manifest: M,
): Readonly<Record<string, LockEntry>> {
  const reached = new Set<string>();
  const visit = (path: string, entry: LockEntry): void => {
    const dependencies = { ...entry.peerDependencies, ...entry.optionalDependencies, ...entry.dependencies };
    for (const name of Object.keys(dependencies)) {
      const found = resolve(packages, path, name);
      if (found === undefined || reached.has(found)) continue;
      reached.add(found);
      visit(found, packages[found] ?? {});
    }
  };
  visit('', manifest);
  const reachedPackages = Object.entries(packages)
    .filter(([path]) => reached.has(path))
    .map(([path, { dev, devOptional, peer, ...entry }]) => [path, entry]);
  return { '': manifest, ...Object.fromEntries(reachedPackages) };
}

function resolve(packages: Lock['packages'], from: string, name: string): string | undefined {
  for (let path = from; ; ) {
    const found = `${path === '' ? '' : `${path}/`}node_modules/${name}`;
    if (packages[found] !== undefined) return found;
    if (path === '') return undefined;
    path = path.slice(0, Math.max(0, path.lastIndexOf('node_modules/') - 1));
  }
}
