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
  const ids = new Set(folders.map(({ id }) => id));
  const byParent = Map.groupBy(folders, ({ parentId }) =>
    parentId !== null && ids.has(parentId) ? parentId : null,
  );
  const listChildren = (parentId: string | null, depth: number): readonly TreeFolder[] =>
    (byParent.get(parentId) ?? [])
      .toSorted((a, b) => a.name.localeCompare(b.name))
      .flatMap(folder => [{ ...folder, depth }, ...listChildren(folder.id, depth + 1)]);
  return listChildren(null, 0);
}
