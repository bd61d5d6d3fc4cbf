// Chooses mutations at random. The choice depends only on the seed and on the mutated lines.
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listMutations, type Mutation } from './mutations.ts';

/** A mutation of a file, whose path is relative to the root. */
export interface Mutant extends Mutation {
  readonly path: string;
}

export interface MutantOptions {
  readonly count: number;
  readonly seed: number;
  /** Folders or files, relative to the root. */
  readonly folders: readonly string[];
}

/** A line that did not change is chosen by the same seed in every version, wherever it is in its file. */
export function chooseMutants(root: string, { count, seed, folders }: MutantOptions): readonly Mutant[] {
  const paths = globSync('src/**/*.ts', { cwd: root, exclude: path => path.endsWith('.d.ts') })
    .map(path => path.replaceAll('\\', '/'))
    .filter(path => folders.some(folder => path === folder || path.startsWith(`${folder}/`)));
  return paths
    .flatMap(path => rankMutants(path, readFileSync(join(root, path), 'utf8'), seed))
    .sort((a, b) => (a.rank < b.rank ? -1 : 1))
    .slice(0, count)
    .map(({ mutant }) => mutant);
}

function rankMutants(
  path: string,
  source: string,
  seed: number,
): readonly { rank: string; mutant: Mutant }[] {
  const lines = source.split('\n');
  const seen = new Map<string, number>();
  return listMutations(source, path.startsWith('src/store/')).map(mutation => {
    const content = JSON.stringify([seed, path, lines[mutation.line - 1], mutation.before, mutation.after]);
    const occurrence = seen.get(content) ?? 0;
    seen.set(content, occurrence + 1);
    const rank = createHash('sha256').update(`${content}${occurrence}`).digest('hex');
    return { rank, mutant: { path, ...mutation } };
  });
}
