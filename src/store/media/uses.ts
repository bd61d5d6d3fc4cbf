// Finds the workflows, publications and executions that use a media file and that the user may see.
import type { Tx } from '../db.ts';
import { isCreatorSql, isMemberSql, isNoneOfSql, isStillMemberSql, USER_SHARES } from '../permissions.ts';
import { all } from '../rows.ts';

export const USE_KINDS = ['workflow', 'publication', 'execution'] as const;
export type UseKind = (typeof USE_KINDS)[number];

/** One use of the file; `id` is unique within the kind. */
export interface UseRow {
  readonly kind: UseKind;
  /** The id of the workflow or execution. */
  readonly id: string;
  readonly workflow_id: string;
  readonly workflow_name: string;
  /** The version whose graph uses the file; null if no graph uses it. */
  readonly version: number | null;
  /** Whether the file is the `mediaId` of the workflow. */
  readonly is_linked: boolean;
  /** The slug of the publication; null for other kinds. */
  readonly slug: string | null;
  readonly is_template: boolean;
  /** Whether the execution created the file. */
  readonly is_creator: boolean;
  readonly created_at: Date;
}

export interface UsePage {
  readonly mediaId: string;
  readonly userId: number;
  /** Leaves out the uses in these teams. */
  readonly withoutTeams: readonly string[];
  /** The cursor: lists only ids smaller than this. */
  readonly before: string | null;
  readonly limit: number;
}

const VISIBLE_WORKFLOWS = `w.deleted_at is null and (w.user_id = $2 and w.team_id is null or ${isMemberSql('w.team_id', '$2')}
  or exists (select from ${USER_SHARES} p where p.workflow_id = w.id and p.user_id = $2))`;
/** The condition that user $2 may edit the workflow `w`, and so may read its executions. */
const IS_EDITOR = `${isCreatorSql('$2')}
  or exists (select from team_members m where m.team_id = w.team_id and m.user_id = $2 and m.role <> 'VIEWER')
  or exists (select from ${USER_SHARES} p where p.workflow_id = w.id and p.user_id = $2 and p.role <> 'VIEW')`;

const IS_OPEN = isNoneOfSql('w.team_id', '$5');

const isUsedBySql = (version: string): string =>
  `exists (select from workflow_media n where n.media_id = $1 and n.workflow_id = w.id and n.version = ${version})`;

/** The statement of each kind, which lists the newest uses first. */
const STATEMENTS: Readonly<Record<UseKind, string>> = {
  workflow: `
    select 'workflow' as kind, w.id, w.id as workflow_id, w.name as workflow_name,
      case when ${isUsedBySql('w.version')} then w.version end as version,
      coalesce(w.media_id = $1, false) as is_linked, null as slug, false as is_template, false as is_creator, w.created_at
    from workflows w
    where w.id in (
        select id from workflows where media_id = $1 union select workflow_id from workflow_media where media_id = $1)
      and (w.media_id = $1 or ${isUsedBySql('w.version')}) and ${VISIBLE_WORKFLOWS} and ($3::text is null or w.id < $3) and ${IS_OPEN}
    order by w.id desc limit $4`,
  publication: `
    select 'publication' as kind, w.id, w.id as workflow_id, w.name as workflow_name, w.published_version as version,
      false as is_linked, w.published_slug as slug,
      coalesce(w.publish_settings @> '{"isTemplate": true}', false) as is_template, false as is_creator,
      w.published_at as created_at
    from workflows w
    where w.id in (select workflow_id from workflow_media where media_id = $1)
      and w.is_published and ${isUsedBySql('w.published_version')} and ${VISIBLE_WORKFLOWS} and ($3::text is null or w.id < $3) and ${IS_OPEN}
    order by w.id desc limit $4`,
  execution: `
    select 'execution' as kind, e.id, e.workflow_id, w.name as workflow_name, null::int as version, false as is_linked,
      null as slug, false as is_template,
      e.id is not distinct from (select execution_id from media where id = $1) as is_creator, e.created_at
    from executions e join workflows w on w.id = e.workflow_id
    where e.id in (
        select execution_id from media_reuses where media_id = $1
        union select execution_id from media where id = $1)
      and w.deleted_at is null and (e.user_id = $2 and ${isStillMemberSql('e.workspace', '$2')} or ${IS_EDITOR}) and ($3::text is null or e.id < $3) and ${IS_OPEN}
    order by e.id desc limit $4`,
};

export function listMediaUses(tx: Tx, kind: UseKind, page: UsePage): Promise<readonly UseRow[]> {
  return all(tx, STATEMENTS[kind], [page.mediaId, page.userId, page.before, page.limit, page.withoutTeams]);
}
