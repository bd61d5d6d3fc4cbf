// Lists, pauses, activates, runs and advances automations: schedules and triggers.
import { AppError } from '../lib/errors.ts';
import type { RunDeps } from '../runs/deps.ts';
import type { Actor } from '../services/accounts/actor.ts';
import { encodeCursor, type Page, type PageQuery } from '../services/paging.ts';
import { advanceSchedule } from './schedules/advance-schedule.ts';
import { changeSchedule } from './schedules/change-schedule.ts';
import { listSchedulePage } from './schedules/read-schedule.ts';
import { runScheduleNow } from './schedules/run-schedule.ts';
import { advanceTrigger } from './triggers/advance-trigger.ts';
import { changeTrigger, runTrigger } from './triggers/change-trigger.ts';
import { listTriggerPage } from './triggers/read-trigger.ts';

/** The members that schedules and triggers share. */
export interface Automation {
  readonly id: string;
  readonly workflowId: string;
  readonly name: string;
  readonly isActive: boolean;
  readonly pausedReason: string | null;
}

interface AutomationKind {
  /** The prefix of the ids of this kind. */
  readonly prefix: string;
  readonly list: (
    deps: RunDeps,
    actor: Actor,
    query: PageQuery,
    workflowId: string | undefined,
  ) => Promise<Page<Automation>>;
  readonly setActive: (deps: RunDeps, actor: Actor, id: string, isActive: boolean) => Promise<Automation>;
  readonly run: (
    deps: RunDeps,
    actor: Actor,
    id: string,
    payload: unknown,
  ) => Promise<{ readonly executionId: string }>;
  /** Settles runs that have ended, and starts those that waited for them. */
  readonly advance: (deps: RunDeps, id: string) => Promise<void>;
}

/** The kinds, in the order of the list. */
const KINDS: readonly AutomationKind[] = [
  {
    prefix: 'sch',
    list: listSchedulePage,
    setActive: (deps, actor, id, isActive) => changeSchedule(deps, actor, id, { isActive }),
    run: runScheduleNow,
    advance: advanceSchedule,
  },
  {
    prefix: 'trg',
    list: listTriggerPage,
    setActive: (deps, actor, id, isActive) => changeTrigger(deps, actor, id, { isActive }),
    run: runTrigger,
    advance: advanceTrigger,
  },
];

const DEFAULT_LIMIT = 50;
/** Returns the cursor before the first item of a kind, whose ids are in descending order. */
const getStartCursor = ({ prefix }: AutomationKind): string => encodeCursor(`${prefix}_${'z'.repeat(26)}`);

/** Lists the automations of a workflow, or of all workflows that the caller may edit: schedules, then triggers. */
export async function listAutomations(
  deps: RunDeps,
  actor: Actor,
  { limit = DEFAULT_LIMIT, cursor, workflowId }: PageQuery & { readonly workflowId?: string | undefined },
): Promise<Page<Automation>> {
  const firstKind = cursor === undefined ? 0 : Math.max(0, findCursorKind(cursor));
  const data: Automation[] = [];
  for (const [index, kind] of KINDS.entries()) {
    if (index < firstKind) continue;
    if (data.length === limit) return { data, nextCursor: getStartCursor(kind) };
    const start = index === firstKind && cursor !== undefined ? { cursor } : {};
    const page = await kind.list(deps, actor, { limit: limit - data.length, ...start }, workflowId);
    data.push(...page.data);
    if (page.nextCursor !== null) return { data, nextCursor: page.nextCursor };
  }
  return { data, nextCursor: null };
}

function findCursorKind(cursor: string): number {
  const id = Buffer.from(cursor, 'base64url').toString('latin1');
  return KINDS.findIndex(({ prefix }) => id.startsWith(`${prefix}_`));
}

/** Pauses or activates an automation. */
export function setAutomationActive(
  deps: RunDeps,
  actor: Actor,
  id: string,
  isActive: boolean,
): Promise<Automation> {
  return getKind(id).setActive(deps, actor, id, isActive);
}

/** Runs an automation now. `payload` replaces the event of a trigger. */
export function runAutomation(
  deps: RunDeps,
  actor: Actor,
  id: string,
  payload?: unknown,
): Promise<{ readonly executionId: string }> {
  return getKind(id).run(deps, actor, id, payload);
}

/** Advances an automation. A job calls this function whenever one of the automation's runs has ended. */
export function advanceAutomation(deps: RunDeps, id: string): Promise<void> {
  return getKind(id).advance(deps, id);
}

function getKind(id: string): AutomationKind {
  const kind = KINDS.find(({ prefix }) => id.startsWith(`${prefix}_`));
  if (kind === undefined) throw new AppError('not_found', 'Automation not found. Read its id from the list.');
  return kind;
}
