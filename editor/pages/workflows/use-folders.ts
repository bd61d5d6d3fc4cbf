// Reads the folders as a flat list in tree order, with the depth of each folder.
import { useQuery } from '@tanstack/react-query';
import type { Folder } from '../../../sdk/src/schemas.ts';
import { getPage } from '../../lib/api.ts';

export interface TreeFolder extends Folder {
  readonly depth: number;
}

const PAGE_SIZE = 200;
/** A limit for the loop. A tree with more folders would be unusable. */
const MAX_PAGES = 50;

export function useFolders(): readonly TreeFolder[] {
  const { data } = useQuery({
    queryKey: ['/folders'],
    queryFn: ({ signal }) => readFolders(signal),
    select: orderTree,
  });
  return data ?? [];
}

async function readFolders(signal: AbortSignal): Promise<readonly Folder[]> {
  const folders: Folder[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const query = { limit: PAGE_SIZE, ...(cursor === undefined ? {} : { cursor }) };
    const { items, nextCursor } = await getPage<Folder>('/folders', query, signal);
    folders.push(...items);
    if (nextCursor === null) break;
    cursor = nextCursor;
  }
  return folders;
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
