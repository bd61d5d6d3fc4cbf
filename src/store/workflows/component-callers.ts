// Lists the workflows whose current version calls a component.
import type { Tx } from '../db.ts';
import { EDITABLE, isNoneOfSql, READABLE } from '../permissions.ts';
import { all, firstNumber, type PageRange } from '../rows.ts';

/** A workflow and its nodes that call one version of the component. */
export interface CallerRow {
  readonly caller_id: string;
  readonly name: string;
  /** null for the latest version. */
  readonly version: number | null;
  /** At most MAX_NODE_IDS. */
  readonly node_ids: readonly string[];
  readonly can_edit: boolean;
}

export interface CallerKey {
  readonly callerId: string;
  /** 0: the latest version. */
  readonly version: number;
}

const MAX_NODE_IDS = 100;
const MAX_COUNTED = 10_000;

/** Lists the callers that the user may read, by id and version. */
export function listCallers(
  tx: Tx,
  componentId: string,
  {
    userId,
    withoutTeams,
    after,
    limit,
  }: {
    readonly userId: number;
    /** Leaves out the callers of these teams. */
    readonly withoutTeams: readonly string[];
  } & PageRange<CallerKey>,
): Promise<readonly CallerRow[]> {
  return all(
    tx,
    `select c.caller_id, w.name, c.version, (array_agg(c.node_id order by c.node_id))[1:${MAX_NODE_IDS}] as node_ids,
       ${EDITABLE} as can_edit
     from component_calls c join workflows w on w.id = c.caller_id
     where c.component_id = $2 and ${READABLE} and ${isNoneOfSql('w.team_id', '$6')}
       and ($3::text is null or (c.caller_id, coalesce(c.version, 0)) > ($3, $4::int))
     group by c.caller_id, c.version, w.id order by c.caller_id, coalesce(c.version, 0) limit $5`,
    [userId, componentId, after?.callerId ?? null, after?.version ?? null, limit, withoutTeams],
  );
}

export interface CallingWorkflow {
  readonly id: string;
  readonly name: string;
  /** The current version of the workflow. */
  readonly version: number;
}

/** Lists the workflows that call any version of the component and that the user may read, by id. */
export function listCallingWorkflows(
  tx: Tx,
  componentId: string,
  {
    userId,
    withoutTeams,
    after,
    limit,
  }: {
    readonly userId: number;
    /** Leaves out the workflows of these teams. */
    readonly withoutTeams: readonly string[];
  } & PageRange<string>,
): Promise<readonly CallingWorkflow[]> {
  return all(
    tx,
    `select w.id, w.name, w.version from workflows w
     where w.id in (select c.caller_id from component_calls c where c.component_id = $2)
       and ${READABLE} and ${isNoneOfSql('w.team_id', '$5')} and ($3::text is null or w.id > $3)
     order by w.id limit $4`,
    [userId, componentId, after, limit, withoutTeams],
  );
}

/** Counts the callers that the user may not read, or that belong to one of these teams, up to a limit. */
export function countHiddenCallers(
  tx: Tx,
  componentId: string,
  userId: number,
  closedTeams: readonly string[],
): Promise<number> {
  return firstNumber(
    tx,
    `select count(*)::int as count from (
       select distinct c.caller_id from component_calls c join workflows w on w.id = c.caller_id
       where c.component_id = $2 and w.deleted_at is null and not (${READABLE} and ${isNoneOfSql('w.team_id', '$3')}) limit ${MAX_COUNTED}) hidden`,
    [userId, componentId, closedTeams],
  );
}
