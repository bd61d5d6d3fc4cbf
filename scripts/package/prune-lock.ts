// Removes the packages that a manifest does not need from a lock file.

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

/** Returns the `packages` of a lock file that this manifest needs. */
export function pruneLock<M extends LockEntry>(
  { packages }: Lock,
  manifest: M,
): Readonly<Record<string, LockEntry>> {
  const neededPaths = new Set<string>();
  const visit = (path: string, entry: LockEntry): void => {
    const dependencies = { ...entry.peerDependencies, ...entry.optionalDependencies, ...entry.dependencies };
    for (const name of Object.keys(dependencies)) {
      const dependencyPath = resolveDependency(packages, path, name);
      if (dependencyPath === undefined || neededPaths.has(dependencyPath)) continue;
      neededPaths.add(dependencyPath);
      visit(dependencyPath, packages[dependencyPath] ?? {});
    }
  };
  visit('', manifest);
  const neededPackages = Object.entries(packages)
    .filter(([path]) => neededPaths.has(path))
    .map(([path, { dev, devOptional, peer, ...entry }]) => [path, entry]);
  return { '': manifest, ...Object.fromEntries(neededPackages) };
}

/** Returns the path of a dependency, which Node searches in the `node_modules` of the package and of all its parents. */
function resolveDependency(packages: Lock['packages'], from: string, name: string): string | undefined {
  for (let path = from; ; ) {
    const candidate = `${path === '' ? '' : `${path}/`}node_modules/${name}`;
    if (packages[candidate] !== undefined) return candidate;
    if (path === '') return undefined;
    path = path.slice(0, Math.max(0, path.lastIndexOf('node_modules/') - 1));
  }
}
