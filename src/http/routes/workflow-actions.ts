// Registers the routes for actions on workflows: lint, layout, presence, publication, budget, duplicates and recovery.
import { Success } from '../../services/accounts/account.schema.ts';
import type { Deps } from '../../services/deps.ts';
import { restoreWorkflowAsAdmin, undoDeletion } from '../../services/workflows/delete-workflow.ts';
import { duplicateWorkflow } from '../../services/workflows/duplicate-workflow.ts';
import { editWorkflow } from '../../services/workflows/edit-workflow.ts';
import { layoutWorkflow } from '../../services/workflows/layout-workflow.ts';
import { lintGraphBody, lintWorkflow } from '../../services/workflows/lint-workflow.ts';
import {
  followWorkflow,
  getReadableWorkflow,
  shareSelection,
} from '../../services/workflows/presence/follow-workflow.ts';
import { recordHeartbeat } from '../../services/workflows/presence/heartbeat.ts';
import { publishWorkflow, setBudget, setVisibility } from '../../services/workflows/publish-workflow.ts';
import {
  BudgetBody,
  DuplicateBody,
  GraphBody,
  GraphWriteQuery,
  LayoutBody,
  LintOverridesBody,
  PublishBody,
  SelectionBody,
  VisibilityBody,
  WorkflowEditBody,
  WorkflowParams,
} from '../../services/workflows/workflow.schema.ts';
import {
  Heartbeat,
  LayoutReport,
  LintReport,
  RestoredWorkflow,
  Workflow,
  WorkflowEventStream,
} from '../../services/workflows/workflow-response.schema.ts';
import type { Server } from '../deps.ts';
import { streamEvents } from '../event-stream.ts';
import { createDescriber, RESOURCE_ERRORS } from '../route.ts';
import { GRAPH_ERRORS, sendCreated, sendTagged, WORKFLOW_LINKS } from './workflows.ts';

const operation = createDescriber('Workflows');
const adminOperation = createDescriber('Administration');
const params = WorkflowParams;

export function registerWorkflowActions(server: Server, deps: Deps): void {
  registerBoard(server, deps);
  registerPublication(server, deps);
  server.post(
    '/api/v1/workflows/:id/duplicate',
    operation('duplicateWorkflow', 'workflows:write', {
      summary: 'Duplicate a workflow',
      description:
        'Copies the graph, without secrets, into your active workspace. The copy calls the same components. Calls of components that you may not read become empty, and `meta.warnings` lists them.',
      errors: [
        ...RESOURCE_ERRORS,
        'folder_workspace_mismatch',
        'storage_quota_exceeded',
        'component_forbidden',
      ],
      params,
      body: DuplicateBody,
      response: { 201: Workflow },
      links: WORKFLOW_LINKS,
    }),
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
  server.post(
    '/api/v1/workflows/:id/restore',
    operation('undeleteWorkflow', 'workflows:write', {
      summary: 'Restore a workflow that you deleted',
      description:
        'Restores a workflow that was deleted less than 24 hours ago, with its earlier active state. Requires permission to delete it. An administrator can restore it for at least 30 days.',
      params,
      response: { 200: Workflow },
    }),
    async (req, reply) => sendTagged(reply, await undoDeletion(deps, req.actor, req.params.id)),
  );
  server.post(
    '/api/v1/admin/workflows/:id/restore',
    adminOperation('restoreWorkflow', 'instance:admin', {
      summary: 'Restore a deleted workflow',
      description:
        'Restores a deleted workflow, which stays inactive. Its graph is kept for 30 days, and longer if a kept run, an app or another workflow uses it. After that, returns 404.',
      errors: ['not_found', 'conflict'],
      params,
      response: { 200: RestoredWorkflow },
    }),
    req => restoreWorkflowAsAdmin(deps, req.actor, req.params.id),
  );
}

function registerBoard(server: Server, deps: Deps): void {
  server.post(
    '/api/v1/workflows/lint',
    operation('lintGraph', 'workflows:read', {
      summary: 'Lint a graph',
      description: 'Returns the errors and warnings of a graph without storing it.',
      body: GraphBody,
      inexactNumbers: 'reject',
      response: { 200: LintReport },
    }),
    async req => lintGraphBody(deps, req.actor, req.body),
  );
  server.post(
    '/api/v1/workflows/:id/lint',
    operation('lintWorkflow', 'workflows:read', {
      summary: 'Lint a stored workflow',
      description:
        'Returns the errors and warnings of the stored graph. Properties in the body replace the stored ones.',
      params,
      body: LintOverridesBody,
      inexactNumbers: 'reject',
      response: { 200: LintReport },
    }),
    req => lintWorkflow(deps, req.actor, req.params.id, req.body),
  );
  server.post(
    '/api/v1/workflows/:id/edit',
    operation('editWorkflow', 'workflows:write', {
      summary: 'Edit nodes and edges of a workflow',
      description:
        'Applies operations to the graph, with the same effect as in the editor: `add_node`, `remove_node`, `connect`, `disconnect`, `set_config`, `rename`, `replace_node_type`, `bypass` and `restore`. If one fails, none is applied, and the error names it. New nodes are placed automatically. With `If-Match`, the edit is refused with `stale_write` if the workflow has changed since.',
      errors: [...GRAPH_ERRORS, ...RESOURCE_ERRORS, 'stale_write', 'app_would_break', 'board_too_large'],
      params,
      querystring: GraphWriteQuery,
      body: WorkflowEditBody,
      inexactNumbers: 'reject',
      response: { 200: Workflow },
      requestHeaders: ['If-Match'],
      responseHeaders: ['ETag'],
    }),
    async (req, reply) => {
      const conditions = { ifMatch: req.headers['if-match'], mayBreakApp: req.query.breakApp };
      const edited = await editWorkflow(deps, req.actor, req.params.id, { ...req.body, ...conditions });
      return sendTagged(reply, edited);
    },
  );
  server.post(
    '/api/v1/workflows/:id/layout',
    operation('layoutWorkflow', 'workflows:write', {
      summary: 'Arrange the nodes of a workflow',
      description:
        'Arranges the nodes as the editor does, or only the nodes in `scope`, and stores their positions.',
      errors: [...RESOURCE_ERRORS, 'board_too_large', 'invalid_graph', 'storage_quota_exceeded'],
      params,
      body: LayoutBody,
      response: { 200: LayoutReport },
    }),
    req => layoutWorkflow(deps, req.actor, req.params.id, req.body),
  );
  server.get(
    '/api/v1/workflows/:id/events',
    operation('followWorkflow', 'workflows:read', {
      summary: 'Stream the changes and readers of a workflow',
      description:
        'Streams server-sent events. `changed` has `version`, `updatedAt`, and the `userId` and `sessionId` of the author of the change. `presence` has the `users` who follow the workflow. Each event is first sent with the current state. A comment is sent every 15 s. The stream ends when the workflow is deleted or you may no longer read it. Each process allows 20 open streams per account and 200 per IP address.',
      errors: [...RESOURCE_ERRORS, 'too_many_streams'],
      params,
      response: { 200: WorkflowEventStream },
    }),
    (req, reply) =>
      streamEvents(deps, req, reply, {
        checkAccess: current => getReadableWorkflow(deps, current, req.params.id),
        watch: signal => followWorkflow(deps, req.actor, req.params.id, signal),
      }),
  );
  server.post(
    '/api/v1/workflows/:id/heartbeat',
    operation('markEditing', 'workflows:write', {
      summary: 'Report that an editor has the board open',
      description:
        'Reports that an editor has the workflow open. Automatic layout skips the workflow for the next 30 s.',
      params,
      response: { 200: Heartbeat },
    }),
    req => recordHeartbeat(deps, req.actor, req.params.id),
  );
  server.put(
    '/api/v1/workflows/:id/selection',
    operation('selectNodes', 'workflows:read', {
      summary: 'Share your selection of nodes',
      description:
        'Shows your selected nodes to the other people who have the workflow open: its event stream includes them as `selected` in `presence` while you follow it. The workflow itself does not change.',
      params,
      body: SelectionBody,
      response: { 200: Success },
    }),
    req => shareSelection(deps, req.actor, req.params.id, req.body),
  );
}

function registerPublication(server: Server, deps: Deps): void {
  server.post(
    '/api/v1/workflows/:id/visibility',
    operation('setVisibility', 'workflows:write', {
      summary: 'Set the link access of a workflow',
      description: 'Sets who may read or duplicate the workflow by its link.',
      params,
      body: VisibilityBody,
      response: { 200: Workflow },
    }),
    async (req, reply) =>
      sendTagged(reply, await setVisibility(deps, req.actor, req.params.id, req.body.linkPermission)),
  );
  server.post(
    '/api/v1/workflows/:id/publish',
    operation('publishWorkflow', 'workflows:write', {
      summary: 'Publish or unpublish a workflow',
      description:
        'Publishes the current version. It stays public until you publish again or unpublish. Requires ownership.',
      errors: [...RESOURCE_ERRORS, 'slug_taken'],
      params,
      body: PublishBody,
      response: { 200: Workflow },
    }),
    async (req, reply) => sendTagged(reply, await publishWorkflow(deps, req.actor, req.params.id, req.body)),
  );
  server.put(
    '/api/v1/workflows/:id/budget',
    operation('setBudget', 'workflows:write', {
      summary: 'Set the daily budget of a workflow',
      description:
        'Sets the daily budget of a workflow. A run that would exceed the budget of the UTC day is refused with `daily_budget_exceeded`. Requires ownership.',
      params,
      body: BudgetBody,
      response: { 200: Workflow },
    }),
    async (req, reply) =>
      sendTagged(reply, await setBudget(deps, req.actor, req.params.id, req.body.dailyCreditBudget)),
  );
}
