// Notifies the owner of an app why the app cannot run, which visitors do not learn, and when visitors have used up a limit.
import type { AppError } from '../lib/errors.ts';
import { getFirstIdAt } from '../lib/ids.ts';
import type { RunDeps } from '../runs/deps.ts';
import type { Deps } from '../services/deps.ts';
import { insertNotice, type NewNotice } from '../store/notices.ts';
import { needsOwner } from './failures.ts';
import { type AppRow, type AppSettings, findApp, findAppWorkspace, listRecentErrors } from './store/apps.ts';

/** Reports a refused run if the owner has to solve the problem. */
export async function reportRefusal(deps: Deps, app: AppRow, { code, message }: AppError): Promise<void> {
  if (needsOwner(code)) await reportOutOfOrder(deps, app, message);
}

export const reportOutOfOrder = (deps: Pick<Deps, 'db'>, app: AppRow, reason: string): Promise<void> =>
  notifyOwners(deps, app, {
    kind: 'app_out_of_order',
    cause: app.id,
    toTitle: title => `The app “${title}” is out of order`,
    text: `A visitor could not run it. ${reason}`,
  });

/** Reports that visitors have used up what they may use of the app today. */
export const reportUsedUp = (deps: Pick<Deps, 'db'>, app: AppRow, what: 'runs' | 'uploads'): Promise<void> =>
  notifyOwners(deps, app, {
    kind: 'app_limit_reached',
    cause: `${app.id} ${what}`,
    toTitle: title => `Visitors have used up the ${what} of the app “${title}” for today`,
    text: 'Until 00:00 UTC, visitors get an error. You can change the limits of the day in the settings of the app.',
  });

interface AppNotice extends Pick<NewNotice, 'kind' | 'cause' | 'text'> {
  readonly toTitle: (app: string) => string;
}

/** Notifies the user who saved the app and the owners of its workspace. */
async function notifyOwners(
  { db }: Pick<Deps, 'db'>,
  app: AppRow,
  { toTitle, ...notice }: AppNotice,
): Promise<void> {
  const workspace = await findAppWorkspace(db, app.id);
  if (workspace === undefined) return;
  await insertNotice(db, {
    ...notice,
    workspace,
    userId: app.user_id,
    title: toTitle((JSON.parse(app.settings) as AppSettings).title),
    link: `/flow/${app.workflow_id}`,
  });
}

const RECENT_MINUTES = 5;
const DAY_MS = 86_400_000;

/** Reports failures that the owner has to solve. A job calls it when runs of the app have ended. */
export async function reportFailures(deps: RunDeps, appId: string): Promise<void> {
  const fromRunId = getFirstIdAt('appRun', deps.now() - DAY_MS);
  const errors = await listRecentErrors(deps.db, { appId, fromRunId }, RECENT_MINUTES);
  const failures = errors.map(
    text => JSON.parse(text) as { readonly code: string; readonly message: string },
  );
  const failure = failures.find(({ code }) => needsOwner(code));
  const app = failure === undefined ? undefined : await findApp(deps.db, appId);
  if (failure !== undefined && app !== undefined) await reportOutOfOrder(deps, app, failure.message);
}
