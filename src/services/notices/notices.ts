// Lists a user's notices, marks them as read, and streams new ones.
import { createChangeWaiter } from '../../lib/change-waiter.ts';
import { AppError } from '../../lib/errors.ts';
import { getFirstIdAt } from '../../lib/ids.ts';
import {
  countUnread,
  getNoticeStreamKey,
  listNotices,
  markRead,
  type NoticeRow,
} from '../../store/notices.ts';
import { listClosedTeams, requireOpenTeam } from '../accounts/access.ts';
import { type Actor, requireUser } from '../accounts/actor.ts';
import type { Deps } from '../deps.ts';
import { byId, readPage } from '../paging.ts';
import { presentColumns } from '../present-columns.ts';
import type { ListNoticesQuery, ReadNoticesBody } from './notice.schema.ts';

/** Returns a page of the caller's notices, newest first, and how many the caller has not read. */
export async function listNoticePage({ db }: Pick<Deps, 'db'>, actor: Actor, query: ListNoticesQuery) {
  const { userId } = requireUser(actor);
  const filter = { userId, isUnread: query.unread ?? null, withoutTeams: listClosedTeams(actor) };
  const noticePage = await readPage(
    query,
    byId('notice'),
    page => listNotices(db, filter, page),
    presentNotice,
  );
  return { ...noticePage, unread: await countUnread(db, userId, listClosedTeams(actor)) };
}

/** Marks notices as read, ignoring those of other users. Returns how many are unread. */
export async function markNoticesRead(
  { db }: Pick<Deps, 'db'>,
  actor: Actor,
  { ids, all }: ReadNoticesBody,
): Promise<{ readonly unread: number }> {
  const { userId } = requireUser(actor);
  if ((ids === undefined) === (all === undefined))
    throw new AppError('invalid_request', 'Send either `ids` or `all: true`.');
  await markRead(db, userId, ids ?? null);
  return { unread: await countUnread(db, userId, listClosedTeams(actor)) };
}

/** Throws 403 if a team has come to require a second factor that the caller lacks, because the stream sends its notices. */
export function requireSameClosedTeams(actor: Actor, before: Actor): void {
  const known = new Set(listClosedTeams(before));
  for (const teamId of listClosedTeams(actor)) if (!known.has(teamId)) requireOpenTeam(actor, teamId);
}

export type NoticeEvent =
  | { readonly event: 'unread'; readonly data: { readonly unread: number } }
  | { readonly event: 'notice'; readonly data: ReturnType<typeof presentNotice> };

/** The maximum number of notices that are sent after a change; older ones are skipped. */
const MAX_NEW_NOTICES = 50;
/** A transaction may insert its notice this long before it commits. */
const MAX_COMMIT_MS = 60_000;

/** Yields the number of unread notices, then each new notice and each change of the number, until the signal fires. */
export async function* followNotices(
  { db, changeHub, timing, now }: Pick<Deps, 'db' | 'changeHub' | 'timing' | 'now'>,
  actor: Actor,
  signal: AbortSignal,
): AsyncGenerator<NoticeEvent> {
  const { userId } = requireUser(actor);
  const withoutTeams = listClosedTeams(actor);
  const waiter = createChangeWaiter();
  const unsubscribe = changeHub.subscribe(getNoticeStreamKey(userId), { onChange: waiter.notify });
  const listNewest = () =>
    listNotices(db, { userId, isUnread: null, withoutTeams }, { after: null, limit: MAX_NEW_NOTICES });
  try {
    const firstId = getFirstIdAt('notice', now() - MAX_COMMIT_MS);
    let seenIds = new Set((await listNewest()).map(({ id }) => id));
    let sentCount: number | undefined;
    while (!signal.aborted) {
      // Counted first, so that a new notice is sent before the number that includes it.
      const unread = await countUnread(db, userId, withoutTeams);
      const newest = await listNewest();
      for (const row of newest.toReversed())
        if (!seenIds.has(row.id) && row.id > firstId) yield { event: 'notice', data: presentNotice(row) };
      seenIds = new Set(newest.map(({ id }) => id));
      if (unread !== sentCount) yield { event: 'unread', data: { unread } };
      sentCount = unread;
      await waiter.wait(timing.noticesPollMs, signal);
    }
  } finally {
    unsubscribe();
  }
}

const presentNotice = (row: NoticeRow) => presentColumns(row, 'id kind title text link created_at read_at');
