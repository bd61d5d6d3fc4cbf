// Registers the routes for credits, budgets, spending and cost estimates.
import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import type { RunDeps } from '../../runs/deps.ts';
import { EstimateBody, RunEstimate } from '../../runs/estimate/estimate.schema.ts';
import { estimateWorkflow } from '../../runs/estimate/estimate-run.ts';
import { CreditsResponse, PoolResponse } from '../../runs/read/run-response.schema.ts';
import {
  GrantBody,
  grantCredits,
  LedgerQuery,
  readCredits,
  readCreditsForAdmin,
} from '../../services/credits/credits.ts';
import {
  BudgetPage,
  listOwnBudgets,
  readSpending,
  SpendingQuery,
  SpendingResponse,
} from '../../services/credits/spending.ts';
import {
  type CsvFile,
  InstanceReportQuery,
  ReportQuery,
  readInstanceSpending,
  readSpendingReport,
  SpendingReport,
} from '../../services/credits/spending-report.ts';
import { PageQuery } from '../../services/paging.ts';
import { WorkflowParams } from '../../services/workflows/workflow.schema.ts';
import type { Server } from '../deps.ts';
import { COMPONENT_ERRORS, createDescriber, RESOURCE_ERRORS } from '../route.ts';

const operation = createDescriber('Credits');
const adminOperation = createDescriber('Administration');

const WorkspaceSpendingQuery = Type.Object({ ...SpendingQuery.properties, ...ReportQuery.properties });

function sendReport(reply: FastifyReply, report: object | CsvFile): unknown {
  if (!('text' in report)) return report;
  return reply
    .type('text/csv; charset=utf-8; header=present')
    .header('content-disposition', `attachment; filename="${report.name}"`)
    .send(report.text);
}

export function registerCredits(server: Server, deps: RunDeps): void {
  server.get(
    '/api/v1/credits',
    operation('getCredits', 'account:admin', {
      summary: 'Read the balance and the ledger of your active workspace',
      description:
        'Returns the balance of your active workspace, the credits reserved for runs, and a page of the ledger.',
      querystring: PageQuery,
      response: { 200: CreditsResponse },
    }),
    req => readCredits(deps, req.actor, req.query),
  );
  server.get(
    '/api/v1/credits/spending',
    operation('getSpending', 'account:admin', {
      summary: 'Read the spending of your active workspace',
      description:
        'Without `groupBy`, returns the credits charged on each of the last `days` (UTC) and by model and workflow. With `groupBy`, returns a SpendingReport of the days `from` to `to`, by default of this month; The other parameters are keys of rows to filter by, or `null`.',
      querystring: WorkspaceSpendingQuery,
      response: { 200: Type.Union([SpendingResponse, SpendingReport]) },
    }),
    async (req, reply) =>
      req.query.groupBy === undefined
        ? readSpending(deps, req.actor, req.query)
        : sendReport(reply, await readSpendingReport(deps, req.actor, req.query)),
  );
  server.get(
    '/api/v1/admin/spending',
    adminOperation('getInstanceSpending', 'instance:admin', {
      summary: 'Read the spending of the instance',
      description: 'Returns what runs of all workspaces cost, like `GET /credits/spending` with `groupBy`.',
      querystring: InstanceReportQuery,
      response: { 200: SpendingReport },
    }),
    async (req, reply) => sendReport(reply, await readInstanceSpending(deps, req.actor, req.query)),
  );
  server.get(
    '/api/v1/credits/budgets',
    operation('listBudgets', 'account:admin', {
      summary: 'List the budgets of your active workspace',
      description: 'Returns the daily budgets, with the credits spent today (UTC).',
      querystring: PageQuery,
      response: { 200: BudgetPage },
    }),
    req => listOwnBudgets(deps, req.actor, req.query),
  );
  server.get(
    '/api/v1/admin/credits',
    adminOperation('getCreditsOf', 'instance:admin', {
      summary: 'Read the balance and the ledger of a user or a team',
      description:
        'Returns the credits of the user `userId` or the team `teamId`. Without either, returns yours.',
      errors: ['not_found'],
      querystring: LedgerQuery,
      response: { 200: CreditsResponse },
    }),
    req => readCreditsForAdmin(deps, req.actor, req.query),
  );
  server.post(
    '/api/v1/admin/credits',
    adminOperation('grantCredits', 'instance:admin', {
      summary: 'Grant credits to a user or a team',
      description: 'Adds credits to the balance of a user or a team. A negative amount revokes credits.',
      errors: ['not_found', 'conflict', 'insufficient_credits'],
      body: GrantBody,
      response: { 200: PoolResponse },
    }),
    req => grantCredits(deps, req.actor, req.body),
  );
  server.post(
    '/api/v1/workflows/:id/estimate',
    operation('estimateRun', 'workflows:execute', {
      summary: 'Estimate the cost of a run',
      description:
        'Returns the estimated cost of a run by node, and the available credits. `exact` is false if a price is known only after the run.',
      errors: [
        ...RESOURCE_ERRORS,
        'invalid_graph',
        'invalid_inputs',
        'cyclic_graph',
        'no_sample',
        ...COMPONENT_ERRORS,
      ],
      params: WorkflowParams,
      body: EstimateBody,
      rawProperties: { inputs: 'validated', config: 'validated' },
      response: { 200: RunEstimate },
    }),
    req => estimateWorkflow(deps, req.actor, { workflowId: req.params.id, request: req.body }),
  );
}
