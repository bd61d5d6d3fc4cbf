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

/** The `packages` of a lock file for this manifest. Peers that no other package needs are left out. */
export function pruneLock<M extends LockEntry>(
  { packages }: Lock,
  manifest: M,
): Readonly<Record<string, LockEntry>> {
  const reached = new Set<string>();
  const visit = (place: string, entry: LockEntry): void => {
    const wanted = { ...entry.peerDependencies, ...entry.optionalDependencies, ...entry.dependencies };
    for (const name of Object.keys(wanted)) {
      const found = resolve(packages, place, name);
      if (found === undefined || reached.has(found)) continue;
      reached.add(found);
      visit(found, packages[found] ?? {});
    }
  };
  visit('', manifest);
  const kept = Object.entries(packages)
    .filter(([place]) => reached.has(place))
    .map(([place, { dev, devOptional, peer, ...entry }]) => [place, entry]);
  return { '': manifest, ...Object.fromEntries(kept) };
}

function resolve(packages: Lock['packages'], from: string, name: string): string | undefined {
  for (let place = from; ; ) {
    const found = `${place === '' ? '' : `${place}/`}node_modules/${name}`;
    if (packages[found] !== undefined) return found;
    if (place === '') return undefined;
    place = place.slice(0, Math.max(0, place.lastIndexOf('node_modules/') - 1));
  }
}
