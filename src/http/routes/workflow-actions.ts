// Routes of actions on workflows: lint, layout, presence, publication, budget, duplicates and recovery.

import { Success } from '../../services/accounts/account.schema.ts';
import type { Deps } from '../../services/deps.ts';
import { recoverWorkflow, undeleteOwnWorkflow } from '../../services/workflows/delete-workflow.ts';
import { duplicateWorkflow } from '../../services/workflows/duplicate-workflow.ts';
import { layoutWorkflow } from '../../services/workflows/layout-workflow.ts';
import { lintGraphBody, lintWorkflow } from '../../services/workflows/lint-workflow.ts';
import { followWorkflow, getReadableWorkflow } from '../../services/workflows/presence/follow-workflow.ts';
import { recordHeartbeat } from '../../services/workflows/presence/heartbeat.ts';
import { selectNodes } from '../../services/workflows/presence/select-nodes.ts';
import { publishWorkflow, setBudget, setVisibility } from '../../services/workflows/publish-workflow.ts';
import {
  BudgetBody,
  DuplicateBody,
  GraphBody,
  LayoutBody,
  PublishBody,
  SelectionBody,
  StoredGraphBody,
  VisibilityBody,
  WorkflowId,
} from '../../services/workflows/workflow.schema.ts';
import {
  Heartbeat,
  LayoutReport,
  LintReport,
  RestoredWorkflow,
  Workflow,
  WorkflowEventStream,
} from '../../services/workflows/workflow-response.schema.ts';
import type { App } from '../app.ts';
import { sendEvents, streamSignal } from '../event-stream.ts';
import { documented } from '../route.ts';
import { sendCreated, sendTagged } from './workflows.ts';

const about = documented('Workflows');
const params = WorkflowId;

export function registerWorkflowActions(app: App, deps: Deps): void {
  registerBoard(app, deps);
  registerPublication(app, deps);
  app.post(
    '/api/v1/workflows/:id/duplicate',
    about('Duplicate a workflow', { 201: Workflow }, { params, body: DuplicateBody }),
    async (req, reply) =>
      sendCreated(
        deps,
        reply,
        await duplicateWorkflow(deps, req.actor, req.params.id, {
          body: req.body,
          signal: reply.closeSignal(),
        }),
      ),
  );
  app.post(
    '/api/v1/workflows/:id/restore',
    about('Restore a workflow that you deleted', { 200: Workflow }, { params }),
    async (req, reply) => sendTagged(reply, await undeleteOwnWorkflow(deps, req.actor, req.params.id)),
  );
  app.post(
    '/api/v1/admin/workflows/:id/restore',
    documented('Operator')('Restore a deleted workflow', { 200: RestoredWorkflow }, { params }),
    req => recoverWorkflow(deps, req.actor, req.params.id),
  );
}

function registerBoard(app: App, deps: Deps): void {
  app.post(
    '/api/v1/workflows/lint',
    { config: { hasExactNumbers: true }, ...about('Lint a graph', { 200: LintReport }, { body: GraphBody }) },
    async req => lintGraphBody(deps, req.actor, req.body),
  );
  app.post(
    '/api/v1/workflows/:id/lint',
    {
      config: { hasExactNumbers: true },
      ...about('Lint a stored workflow', { 200: LintReport }, { params, body: StoredGraphBody }),
    },
    req => lintWorkflow(deps, req.actor, req.params.id, req.body ?? {}),
  );
  app.post(
    '/api/v1/workflows/:id/layout',
    about('Arrange the nodes of a workflow', { 200: LayoutReport }, { params, body: LayoutBody }),
    req => layoutWorkflow(deps, req.actor, req.params.id, req.body),
  );
  app.get(
    '/api/v1/workflows/:id/events',
    about('Stream the changes and readers of a workflow', { 200: WorkflowEventStream }, { params }),
    async (req, reply) => {
      const signal = streamSignal(req, reply, () => getReadableWorkflow(deps, req.actor, req.params.id));
      const events = await followWorkflow(deps, req.actor, req.params.id, signal);
      await sendEvents(deps, { req, reply }, { events, signal });
    },
  );
  app.post(
    '/api/v1/workflows/:id/heartbeat',
    about('Report that an editor has the board open', { 200: Heartbeat }, { params }),
    req => recordHeartbeat(deps, req.actor, req.params.id),
  );
  app.put(
    '/api/v1/workflows/:id/selection',
    about('Share your selection of nodes', { 200: Success }, { params, body: SelectionBody }),
    req => selectNodes(deps, req.actor, req.params.id, req.body),
  );
}

function registerPublication(app: App, deps: Deps): void {
  app.post(
    '/api/v1/workflows/:id/visibility',
    about('Set the link access of a workflow', { 200: Workflow }, { params, body: VisibilityBody }),
    async (req, reply) =>
      sendTagged(reply, await setVisibility(deps, req.actor, req.params.id, req.body.linkPermission)),
  );
  app.post(
    '/api/v1/workflows/:id/publish',
    about('Publish or unpublish a workflow', { 200: Workflow }, { params, body: PublishBody }),
    async (req, reply) => sendTagged(reply, await publishWorkflow(deps, req.actor, req.params.id, req.body)),
  );
  app.put(
    '/api/v1/workflows/:id/budget',
    about('Set the daily budget of a workflow', { 200: Workflow }, { params, body: BudgetBody }),
    async (req, reply) =>
      sendTagged(reply, await setBudget(deps, req.actor, req.params.id, req.body.dailyCreditBudget)),
  );
}
