// What is done to a workflow besides changing it: lint, layout, heartbeat, publication, budget, copies, recovery.

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
} from '../../services/workflows/workflow-answer.schema.ts';
import type { App } from '../app.ts';
import { sendEvents, streamSignal } from '../event-stream.ts';
import { sendCreated, sendTagged } from './workflows.ts';

const tags = ['Workflows'];
const params = WorkflowId;

export function registerWorkflowActions(app: App, deps: Deps): void {
  registerBoard(app, deps);
  registerPublication(app, deps);
  app.post(
    '/api/v1/workflows/:id/duplicate',
    {
      schema: {
        tags,
        summary: 'Copy it to your own workspace',
        params,
        body: DuplicateBody,
        response: { 201: Workflow },
      },
    },
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
    {
      schema: {
        tags,
        summary: 'Undo its deletion, within a day',
        params,
        response: { 200: Workflow },
      },
    },
    async (req, reply) => sendTagged(reply, await undeleteOwnWorkflow(deps, req.actor, req.params.id)),
  );
  app.post(
    '/api/v1/admin/workflows/:id/restore',
    {
      schema: {
        tags: ['Operator'],
        summary: 'Recover a deleted workflow; it stays switched off',
        params,
        response: { 200: RestoredWorkflow },
      },
    },
    req => recoverWorkflow(deps, req.actor, req.params.id),
  );
}

function registerBoard(app: App, deps: Deps): void {
  app.post(
    '/api/v1/workflows/lint',
    {
      config: { hasExactNumbers: true },
      schema: { tags, summary: 'Lint a graph', body: GraphBody, response: { 200: LintReport } },
    },
    async req => lintGraphBody(deps, req.actor, req.body),
  );
  app.post(
    '/api/v1/workflows/:id/lint',
    {
      config: { hasExactNumbers: true },
      schema: {
        tags,
        summary: 'Lint the stored graph, or the one that would replace it',
        params,
        body: StoredGraphBody,
        response: { 200: LintReport },
      },
    },
    req => lintWorkflow(deps, req.actor, req.params.id, req.body ?? {}),
  );
  app.post(
    '/api/v1/workflows/:id/layout',
    {
      schema: {
        tags,
        summary: 'Arrange the board, or the nodes of scope',
        params,
        body: LayoutBody,
        response: { 200: LayoutReport },
      },
    },
    req => layoutWorkflow(deps, req.actor, req.params.id, req.body),
  );
  app.get(
    '/api/v1/workflows/:id/events',
    {
      schema: {
        tags,
        summary: 'Follow its changes, and who else has it open, by server-sent events',
        params,
        response: { 200: WorkflowEventStream },
      },
    },
    async (req, reply) => {
      const signal = streamSignal(req, reply, () => getReadableWorkflow(deps, req.actor, req.params.id));
      const events = await followWorkflow(deps, req.actor, req.params.id, signal);
      await sendEvents(deps, { req, reply }, { events, signal });
    },
  );
  app.post(
    '/api/v1/workflows/:id/heartbeat',
    {
      schema: {
        tags,
        summary: 'Say that an editor has the board open, for 30 s',
        params,
        response: { 200: Heartbeat },
      },
    },
    req => recordHeartbeat(deps, req.actor, req.params.id),
  );
  app.put(
    '/api/v1/workflows/:id/selection',
    {
      schema: {
        tags,
        summary: 'Show who else follows the workflow which nodes you have selected',
        params,
        body: SelectionBody,
        response: { 200: Success },
      },
    },
    req => selectNodes(deps, req.actor, req.params.id, req.body),
  );
}

function registerPublication(app: App, deps: Deps): void {
  app.post(
    '/api/v1/workflows/:id/visibility',
    {
      schema: {
        tags,
        summary: 'Say who may read by link',
        params,
        body: VisibilityBody,
        response: { 200: Workflow },
      },
    },
    async (req, reply) =>
      sendTagged(reply, await setVisibility(deps, req.actor, req.params.id, req.body.linkPermission)),
  );
  app.post(
    '/api/v1/workflows/:id/publish',
    {
      schema: {
        tags,
        summary: 'Publish the current version, or withdraw it',
        params,
        body: PublishBody,
        response: { 200: Workflow },
      },
    },
    async (req, reply) => sendTagged(reply, await publishWorkflow(deps, req.actor, req.params.id, req.body)),
  );
  app.put(
    '/api/v1/workflows/:id/budget',
    {
      schema: {
        tags,
        summary: 'Set the credits it may use in a UTC day',
        params,
        body: BudgetBody,
        response: { 200: Workflow },
      },
    },
    async (req, reply) =>
      sendTagged(reply, await setBudget(deps, req.actor, req.params.id, req.body.dailyCreditBudget)),
  );
}
