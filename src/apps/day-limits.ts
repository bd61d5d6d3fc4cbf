// Limits what visitors may use of an app on a day (UTC): its runs and the bytes of its uploads. Visitors use up these limits
// instead of those of the user who saved the app.
import type { RunDeps } from '../runs/deps.ts';
import { getPlanLimits } from '../services/accounts/execution-limits.ts';
import { createRateLimitError } from '../services/accounts/rate-limits.ts';
import { findUser } from '../store/users.ts';
import type { OpenedApp } from './open-app.ts';
import { reportUsedUp } from './report-failures.ts';
import { addDayUse, type DayLimits, type DayUse, readDayUse, removeDayUse } from './store/app-days.ts';
import type { AppRow } from './store/apps.ts';

/** The default for plans without a limit of executions. */
const DEFAULT_RUNS = 1000;
const MAX_DEFAULT_UPLOAD_BYTES = 1_000_000_000;
/** By default, an app may use this part of the plan's daily executions, and its uploads this part of the storage. */
const DEFAULT_RUNS_SHARE = 1 / 2;
const DEFAULT_STORAGE_SHARE = 1 / 10;
/** The part of the storage that the uploads of all apps of a user may take on a day. They are deleted a day later. */
const STORAGE_SHARE_OF_ALL = 1 / 5;

export const DAY_MS = 86_400_000;

/** One count of visitors' use: of an app, or of all apps of a user. */
interface Count {
  readonly subject: string;
  readonly limits: DayLimits;
}

type Deps = Pick<RunDeps, 'db' | 'settings' | 'now'>;
type StoredLimits = Pick<AppRow, 'user_id' | 'runs_per_day' | 'upload_bytes_per_day'>;

/** Returns the limits of the app and of all apps of its user. */
async function readLimits(
  deps: Deps,
  app: StoredLimits,
): Promise<{ readonly app: DayUse; readonly all: DayLimits }> {
  const user = await findUser(deps.db, app.user_id);
  const { executionsPerDay: runs, storageBytes } = getPlanLimits(deps.settings, user?.plan ?? 'free');
  const share = (part: number): number | null =>
    storageBytes === null ? null : Math.floor(storageBytes * part);
  const all = { runs, uploadBytes: share(STORAGE_SHARE_OF_ALL) };
  const defaults = {
    runs: runs === null ? DEFAULT_RUNS : Math.ceil(runs * DEFAULT_RUNS_SHARE),
    uploadBytes: Math.min(share(DEFAULT_STORAGE_SHARE) ?? MAX_DEFAULT_UPLOAD_BYTES, MAX_DEFAULT_UPLOAD_BYTES),
  };
  return {
    app: {
      runs: Math.min(app.runs_per_day ?? defaults.runs, all.runs ?? Number.POSITIVE_INFINITY),
      uploadBytes: Math.min(
        app.upload_bytes_per_day ?? defaults.uploadBytes,
        all.uploadBytes ?? Number.POSITIVE_INFINITY,
      ),
    },
    all,
  };
}

/** Returns the limits of the app that apply now: its settings, or a share of the plan, but not more than the plan allows. */
export const readAppLimits = async (deps: Deps, app: StoredLimits): Promise<DayUse> =>
  (await readLimits(deps, app)).app;

async function listCounts(deps: Deps, app: AppRow): Promise<readonly Count[]> {
  const limits = await readLimits(deps, app);
  return [
    { subject: app.id, limits: limits.app },
    { subject: `user:${app.user_id}`, limits: limits.all },
  ];
}

/** A use that was counted. */
export interface CountedUse {
  readonly day: string;
  readonly use: DayUse;
  readonly subjects: readonly string[];
}

const NO_USE: DayUse = { runs: 0, uploadBytes: 0 };
/** Returns the day (UTC) as an ISO date. */
export const toDay = (nowMs: number): string => new Date(nowMs).toISOString().slice(0, 10);

type VisitedApp = Pick<OpenedApp, 'app' | 'canEdit'>;

/**
 * Counts a use by a visitor, first for the app, then for all apps of its user. Editors of the workflow are no visitors.
 * Throws 429 `app_limit_reached` and notifies the owner if a limit would be exceeded.
 */
export async function countDayUse(
  deps: RunDeps,
  { app, canEdit }: VisitedApp,
  added: Partial<DayUse>,
): Promise<CountedUse> {
  const day = toDay(deps.now());
  const use = { ...NO_USE, ...added };
  const subjects: string[] = [];
  if (canEdit) return { day, use, subjects };
  for (const { subject, limits } of await listCounts(deps, app)) {
    if (!(await addDayUse(deps.db, { subject, day, use, limits }))) {
      await uncountDayUse(deps, { day, use, subjects });
      throw await refuse(deps, app, { use, limits });
    }
    subjects.push(subject);
  }
  return { day, use, subjects };
}

/** Undoes `countDayUse`. */
export async function uncountDayUse({ db }: Pick<RunDeps, 'db'>, counted: CountedUse): Promise<void> {
  const { day, use, subjects } = counted;
  for (const subject of subjects) await removeDayUse(db, { subject, day, use });
}

/** Throws 429 `app_limit_reached` if visitors have uploaded as much today as they may, before another file is received. */
export async function requireUploadsLeft(deps: RunDeps, { app, canEdit }: VisitedApp): Promise<void> {
  if (canEdit) return;
  const day = toDay(deps.now());
  const use = { ...NO_USE, uploadBytes: 1 };
  for (const { subject, limits } of await listCounts(deps, app)) {
    const { uploadBytes } = await readDayUse(deps.db, subject, day);
    if (limits.uploadBytes !== null && uploadBytes >= limits.uploadBytes)
      throw await refuse(deps, app, { use, limits });
  }
}

interface RefusedUse {
  readonly use: DayUse;
  readonly limits: DayLimits;
}

/** Notifies the owner, and returns the error for the visitor. */
async function refuse(deps: RunDeps, app: AppRow, { use, limits }: RefusedUse): Promise<Error> {
  const what = use.runs > 0 ? 'runs' : 'uploads';
  await reportUsedUp(deps, app, what);
  const reset = (Math.floor(deps.now() / DAY_MS) + 1) * (DAY_MS / 1000);
  const limit = (what === 'runs' ? limits.runs : limits.uploadBytes) ?? 0;
  const reason = `Visitors have used up the ${what} of this app for today`;
  return createRateLimitError('app_limit_reached', reason, { limit, reset }, deps.now());
}
