// Lists published workflows for the sitemap.
import type { Tx } from '../db.ts';
import { all, first } from '../rows.ts';

const PUBLISHED = 'published_slug is not null and is_published and deleted_at is null';

export interface PublishedRow {
  readonly published_slug: string;
  readonly published_at: Date;
}

/** Lists the published workflows, newest first. */
export function listPublished(tx: Tx, limit: number): Promise<readonly PublishedRow[]> {
  return all(
    tx,
    `select published_slug, published_at from workflows where ${PUBLISHED}
     order by published_at desc, published_slug limit $1`,
    [limit],
  );
}

/** Returns how many workflows are published, and when the newest of them was published. */
export async function summarizePublished(
  tx: Tx,
): Promise<{ readonly count: number; readonly newest: Date | null }> {
  const summary = await first<{ readonly count: number; readonly newest: Date | null }>(
    tx,
    `select count(*)::int as count, max(published_at) as newest from workflows where ${PUBLISHED}`,
  );
  return summary ?? { count: 0, newest: null };
}
