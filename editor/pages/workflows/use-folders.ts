// Reads the folders as a flat list in tree order, each with its depth.
import { useQuery } from '@tanstack/react-query';
import type { Folder } from '../../../sdk/src/schemas.ts';
import { api } from '../../lib/api.ts';

export interface TreeFolder extends Folder {
  readonly depth: number;
}

const LIMIT = 200;

export function useFolders(): readonly TreeFolder[] {
  const { data } = useQuery({
    queryKey: ['/folders'],
    queryFn: ({ signal }) => api.get<readonly Folder[]>('/folders', { query: { limit: LIMIT }, signal }),
    select: orderTree,
  });
  return data ?? [];
}

function orderTree(folders: readonly Folder[]): readonly TreeFolder[] {
  const known = new Set(folders.map(({ id }) => id));
  const childrenOf = Map.groupBy(folders, ({ parentId }) =>
    parentId !== null && known.has(parentId) ? parentId : null,
  );
  const list = (parentId: string | null, depth: number): readonly TreeFolder[] =>
    (childrenOf.get(parentId) ?? [])
      .toSorted((one, other) => one.name.localeCompare(other.name))
      .flatMap(folder => [{ ...folder, depth }, ...list(folder.id, depth + 1)]);
  return list(null, 0);
}
