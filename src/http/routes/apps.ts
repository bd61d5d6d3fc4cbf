// Routes of apps: their settings, for the owners of workflows, and their public API.
import { AppBody, AppPage, AppSettingsSchema, EmbedKey } from '../../apps/app.schema.ts';
import { createEmbedKey, listAppPage, readApp, removeApp, writeApp } from '../../apps/settings.ts';
import type { RunDeps } from '../../runs/deps.ts';
import { Success } from '../../services/accounts/account.schema.ts';
import { PageQuery } from '../../services/paging.ts';
import { WorkflowId } from '../../services/workflows/workflow.schema.ts';
import type { App } from '../app.ts';
import { operationsOf, RESOURCE_ERRORS, whenDone } from '../route.ts';

const operation = operationsOf('Apps');

export function registerApps(app: App, deps: RunDeps): void {
  app.get(
    '/api/v1/workflows/:id/app',
    operation('getWorkflowApp', 'workflows:read', {
      summary: 'Read the app of a workflow',
      description:
        'Returns the settings of the app, and in `issues` why it is out of order. Requires ownership of the workflow.',
      errors: RESOURCE_ERRORS,
      params: WorkflowId,
      response: { 200: AppSettingsSchema },
    }),
    req => readApp(deps, req.actor, req.params.id),
  );
  app.put(
    '/api/v1/workflows/:id/app',
    operation('setWorkflowApp', 'workflows:write', {
      summary: 'Create or replace the app of a workflow',
      description:
        'Saves an app: a form at `/a/{slug}` that runs the workflow for people who do not see its graph. Runs are started with your rights. Settings that the version cannot serve are refused, with a JSON pointer for each in `issues`. Requires ownership of the workflow.',
      errors: [...RESOURCE_ERRORS, 'slug_taken'],
      params: WorkflowId,
      body: AppBody,
      response: { 200: AppSettingsSchema },
    }),
    req => writeApp(deps, req.actor, req.params.id, req.body),
  );
  app.delete(
    '/api/v1/workflows/:id/app',
    operation('deleteWorkflowApp', 'workflows:write', {
      summary: 'Delete the app of a workflow',
      description:
        'Deletes the app. Links to its results end; its executions stay. Requires ownership of the workflow.',
      errors: RESOURCE_ERRORS,
      params: WorkflowId,
      response: { 200: Success },
    }),
    req => whenDone(removeApp(deps, req.actor, req.params.id)),
  );
  app.post(
    '/api/v1/workflows/:id/app/embed-key',
    operation('createAppEmbedKey', 'workflows:write', {
      summary: 'Create the embed key of an app',
      description:
        'Returns a key with which your server signs tokens for visitors of pages that embed the app. It is shown only once, and replaces an earlier key.',
      errors: RESOURCE_ERRORS,
      params: WorkflowId,
      response: { 200: EmbedKey },
    }),
    req => createEmbedKey(deps, req.actor, req.params.id),
  );
  app.get(
    '/api/v1/apps',
    operation('listApps', 'workflows:read', {
      summary: 'List apps',
      description:
        'Returns, newest first, the apps of workflows in your workspaces or shared with you, and apps that are open to everyone who is signed in. Editors also get the runs and credits of the last 30 days.',
      querystring: PageQuery,
      response: { 200: AppPage },
    }),
    req => listAppPage(deps, req.actor, req.query),
  );
}
