// Versions of a workflow's graph. Each is stored once, as the text that GET sends, and never changes.
import type { Tx } from '../db.ts';

/** '"nodes":[…],"edges":[…]', or undefined. */
export async function findGraphText(
  tx: Tx,
  workflowId: string,
  version: number,
): Promise<string | undefined> {
  const { rows } = await tx.query<{ graph: string }>(
    'select graph from workflow_versions where workflow_id = $1 and version = $2',
    [workflowId, version],
  );
  return rows[0]?.graph;
}

const MEDIA_ID = /med_[0-9a-hjkmnp-tv-z]{26}/g;

/** The ids of media that stand anywhere in the text, each once. */
export function mediaIdsIn(graph: string): readonly string[] {
  return [...new Set(graph.match(MEDIA_ID))];
}

/** The text with other ids in their places, of addresses too: the id is a part of them. */
export function replaceMediaIds(graph: string, ids: ReadonlyMap<string, string>): string {
  return ids.size === 0 ? graph : graph.replaceAll(MEDIA_ID, id => ids.get(id) ?? id);
}

/** Stores the graph, and which media it names, so that those are not deleted under it. */
export async function insertVersion(
  tx: Tx,
  version: {
    readonly workflowId: string;
    readonly version: number;
    readonly graph: string;
    readonly userId: number;
  },
): Promise<void> {
  await tx.query(
    `with stored as (insert into workflow_versions (workflow_id, version, graph, user_id) values ($1, $2, $3, $4))
     insert into workflow_media (media_id, workflow_id, version) select unnest($5::text[]), $1, $2`,
    [version.workflowId, version.version, version.graph, version.userId, mediaIdsIn(version.graph)],
  );
}

export interface VersionRow {
  readonly version: number;
  readonly user_id: number;
  readonly created_at: Date;
}

/** Newest first, below the cursor. */
export async function listVersions(
  tx: Tx,
  workflowId: string,
  page: { readonly before: number | null; readonly limit: number },
): Promise<readonly VersionRow[]> {
  const { rows } = await tx.query<VersionRow>(
    `select version, user_id, created_at from workflow_versions
     where workflow_id = $1 and ($2::int is null or version < $2) order by version desc limit $3`,
    [workflowId, page.before, page.limit],
  );
  return rows;
}

export async function findVersion(
  tx: Tx,
  workflowId: string,
  version: number,
): Promise<VersionRow | undefined> {
  const { rows } = await tx.query<VersionRow>(
    'select version, user_id, created_at from workflow_versions where workflow_id = $1 and version = $2',
    [workflowId, version],
  );
  return rows[0];
}
