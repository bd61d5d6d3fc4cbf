// Lists and exports the audit log, of the instance for administrators and of a team for its owners.
import { Readable } from 'node:stream';
import { getFirstIdAt } from '../../lib/ids.ts';
import { AUDIT_ACTIONS } from '../../store/audit/actions.ts';
import { type AuditFilter, type AuditRow, listAuditRows } from '../../store/audit/list-audit.ts';
import { recordAuditAlone } from '../../store/audit/record-audit.ts';
import type { PageRange } from '../../store/rows.ts';
import { type Actor, requireScope, type UserActor } from '../accounts/actor.ts';
import { requireTeamOwner } from '../accounts/teams.ts';
import type { Deps } from '../deps.ts';
import { byId, parseTimeFilter, readPage, resumeAfter } from '../paging.ts';
import type { AuditQuery, TeamAuditQuery } from './audit.schema.ts';
import { presentAuditRows } from './present-audit.ts';

type AuditDeps = Pick<Deps, 'db'>;

/** Whose log is read, and by whom. */
interface AuditSelection {
  readonly user: UserActor;
  readonly filter: AuditFilter;
}

export const listAuditActions = () => ({
  actions: Object.entries(AUDIT_ACTIONS).map(([action, sentence]) => ({ action, sentence })),
});

/** Lists the actions of the instance, newest first. */
export async function listInstanceAudit(deps: AuditDeps, actor: Actor, query: AuditQuery) {
  return listAudit(deps, selectFromInstance(actor, query), query);
}

/** Streams the actions of the instance as JSON lines. */
export async function exportInstanceAudit(
  deps: AuditDeps,
  actor: Actor,
  query: AuditQuery,
  signal: AbortSignal,
): Promise<Readable> {
  return exportAudit(deps, selectFromInstance(actor, query), signal);
}

/** Lists the actions in a team, newest first. Only for OWNERs. Throws 403, 404 like `getTeam`. */
export async function listTeamAudit(deps: AuditDeps, actor: Actor, teamId: string, query: TeamAuditQuery) {
  return listAudit(deps, await selectFromTeam(deps, actor, teamId, query), query);
}

/** Streams the actions in a team as JSON lines. Throws like `listTeamAudit`. */
export async function exportTeamAudit(
  deps: AuditDeps,
  actor: Actor,
  teamId: string,
  query: TeamAuditQuery,
  signal: AbortSignal,
): Promise<Readable> {
  return exportAudit(deps, await selectFromTeam(deps, actor, teamId, query), signal);
}

function selectFromInstance(actor: Actor, query: AuditQuery): AuditSelection {
  return {
    user: requireScope(actor, 'instance:admin'),
    filter: toFilter(query, query.teamId ?? null),
  };
}

async function selectFromTeam(
  { db }: AuditDeps,
  actor: Actor,
  teamId: string,
  query: TeamAuditQuery,
): Promise<AuditSelection> {
  const user = requireScope(actor, 'account:admin');
  await requireTeamOwner(db, user, teamId);
  return { user, filter: toFilter(query, teamId) };
}

function toFilter(query: TeamAuditQuery, teamId: string | null): AuditFilter {
  const toId = (name: 'from' | 'to'): string | null => {
    const time = parseTimeFilter(name, query[name]);
    return time === null ? null : getFirstIdAt('audit', time.getTime());
  };
  return {
    userId: query.actor ?? null,
    action: query.action ?? null,
    target: query.target ?? null,
    teamId,
    fromId: toId('from'),
    toId: toId('to'),
  };
}

async function listAudit(deps: AuditDeps, { filter }: AuditSelection, query: TeamAuditQuery) {
  let resumeBeforeId: string | undefined;
  const page = await readPage<AuditRow, string, AuditRow>(
    query,
    byId('audit'),
    async range => {
      const listed = await listAuditRows(deps.db, filter, range);
      ({ resumeBeforeId } = listed);
      return listed.rows;
    },
    row => row,
  );
  return resumeAfter({ ...page, data: await presentAuditRows(deps.db, page.data) }, resumeBeforeId);
}

/** The most rows and about the most characters of a page of an export. Owners of teams can make rows of 16 KB. */
const EXPORT_PAGE = { minRows: 20, maxRows: 500, characters: 300_000 };

/** Streams all rows, a page in memory at a time, until the caller hangs up. */
async function exportAudit(
  deps: AuditDeps,
  { user, filter }: AuditSelection,
  signal: AbortSignal,
): Promise<Readable> {
  const { teamId } = filter;
  await recordAuditAlone(deps.db, user, {
    action: 'audit.exported',
    target: teamId,
    teamId,
    after: { ...filter },
  });
  return Readable.from(writeLines(deps, filter, signal), { objectMode: false });
}

async function* writeLines(
  { db }: AuditDeps,
  filter: AuditFilter,
  signal: AbortSignal,
): AsyncGenerator<string> {
  let range: PageRange<string> = { after: null, limit: EXPORT_PAGE.minRows };
  for (;;) {
    signal.throwIfAborted();
    const page = await readExportPage(db, filter, range);
    yield page.text;
    if (page.next === undefined) return;
    range = page.next;
  }
}

interface ExportPage {
  readonly text: string;
  readonly next: PageRange<string> | undefined;
}

/** Reads a page. A function of its own, so that a caller who reads slowly keeps only the text of a page in memory. */
async function readExportPage(
  db: Deps['db'],
  filter: AuditFilter,
  range: PageRange<string>,
): Promise<ExportPage> {
  const { rows, resumeBeforeId } = await listAuditRows(db, filter, range);
  const events = await presentAuditRows(db, rows);
  const text = events.map(event => `${JSON.stringify(event)}\n`).join('');
  const after = rows.length === range.limit ? rows.at(-1)?.id : resumeBeforeId;
  if (after === undefined) return { text, next: undefined };
  // The rows of the next page are probably as long as those of this page.
  const { minRows, maxRows, characters } = EXPORT_PAGE;
  const fittingRows = text === '' ? maxRows : Math.floor((characters * rows.length) / text.length);
  return { text, next: { after, limit: Math.max(minRows, Math.min(maxRows, fittingRows)) } };
}
