// Lists the workflows, publications and executions that use a media file, with the nodes that refer to it.
import type { Graph } from '../../graph/types.ts';
import { isId } from '../../lib/ids.ts';
import { listMediaUses, USE_KINDS, type UseKind, type UsePage, type UseRow } from '../../store/media/uses.ts';
import type { PageRange } from '../../store/rows.ts';
import { findGraphText } from '../../store/workflows/versions.ts';
import { listClosedTeams } from '../accounts/access.ts';
import { type Actor, requireScope } from '../accounts/actor.ts';
import type { Deps } from '../deps.ts';
import { type Order, type PageQuery, readPage } from '../paging.ts';
import { readMediaItem } from './list-media.ts';

const MAX_NODES = 100;

/** Lists workflows, then publications, then executions, each newest first. Throws 404 and 403 like `readMediaItem`. */
export async function readMediaUses(deps: Deps, actor: Actor, mediaId: string, query: PageQuery) {
  const { userId } = requireScope(actor, 'workflows:write');
  const withoutTeams = listClosedTeams(actor);
  await readMediaItem(deps, actor, mediaId);
  const usePage = await readPage(
    query,
    USE_ORDER,
    page => fetchUses(deps, { mediaId, userId, withoutTeams }, page),
    row => row,
  );
  const data = [];
  // Graphs may be large, so they are read one after another.
  for (const row of usePage.data) data.push(presentUse(row, await findNodes(deps, row, mediaId)));
  return { ...usePage, data };
}

interface UseKey {
  readonly kind: UseKind;
  readonly id: string;
}

const USE_ORDER: Order<UseRow, UseKey> = {
  keyOf: ({ kind, id }) => ({ kind, id }),
  encode: ({ kind, id }) => `${kind}:${id}`,
  decode: text => {
    const [name, id = '', extra] = text.split(':');
    const kind = USE_KINDS.find(candidate => candidate === name);
    const isKey = isId(kind === 'execution' ? 'execution' : 'workflow', id) && extra === undefined;
    return kind !== undefined && isKey ? { kind, id } : undefined;
  },
};

async function fetchUses(
  { db }: Pick<Deps, 'db'>,
  use: Pick<UsePage, 'mediaId' | 'userId' | 'withoutTeams'>,
  { after, limit }: PageRange<UseKey>,
): Promise<readonly UseRow[]> {
  const rows: UseRow[] = [];
  for (const kind of USE_KINDS.slice(after === null ? 0 : USE_KINDS.indexOf(after.kind))) {
    if (rows.length >= limit) break;
    const before = after?.kind === kind ? after.id : null;
    rows.push(...(await listMediaUses(db, kind, { ...use, before, limit: limit - rows.length })));
  }
  return rows;
}

async function findNodes(
  { db }: Pick<Deps, 'db'>,
  { workflow_id, version }: UseRow,
  mediaId: string,
): Promise<readonly { readonly id: string; readonly label: string }[]> {
  if (version === null) return [];
  const text = await findGraphText(db, workflow_id, version);
  // An autosave has replaced this version since the list was read.
  if (text === undefined) return [];
  const { nodes } = JSON.parse(`{${text}}`) as Graph;
  return nodes
    .filter(node => JSON.stringify(node).includes(mediaId))
    .slice(0, MAX_NODES)
    .map(({ id, data }) => ({ id, label: String(data?.label ?? id) }));
}

function presentUse(row: UseRow, nodes: Awaited<ReturnType<typeof findNodes>>) {
  return {
    kind: row.kind,
    workflow: { id: row.workflow_id, name: row.workflow_name },
    nodes,
    isLinked: row.is_linked,
    slug: row.slug,
    isTemplate: row.is_template,
    executionId: row.kind === 'execution' ? row.id : null,
    isMaker: row.is_creator,
    createdAt: row.created_at.toISOString(),
  };
}
