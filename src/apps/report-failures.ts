// Notifies the owner of an app why the app cannot run. Visitors see only that the app is out of order.
import type { AppError } from '../lib/errors.ts';
import { getFirstIdAt } from '../lib/ids.ts';
import type { RunDeps } from '../runs/deps.ts';
import type { Deps } from '../services/deps.ts';
import { type AppRow, type AppSettings, findApp, findAppWorkspace, listRecentErrors } from '../store/apps.ts';
import { insertNotice } from '../store/notices.ts';
import { needsOwner } from './failures.ts';

/** Reports a refused run if the owner has to solve the problem. */
export async function reportRefusal(deps: Deps, app: AppRow, { code, message }: AppError): Promise<void> {
  if (needsOwner(code)) await reportOutOfOrder(deps, app, message);
}

/** Notifies the user who saved the app and the owners of its workspace. */
export async function reportOutOfOrder({ db }: Pick<Deps, 'db'>, app: AppRow, reason: string): Promise<void> {
  const { title } = JSON.parse(app.settings) as AppSettings;
  const workspace = await findAppWorkspace(db, app.id);
  if (workspace === undefined) return;
  await insertNotice(db, {
    kind: 'app_out_of_order',
    cause: app.id,
    workspace,
    userId: app.user_id,
    title: `The app “${title}” is out of order`,
    text: `A visitor could not run it. ${reason}`,
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
