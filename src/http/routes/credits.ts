// Credits over HTTP, and what a run would cost of them.

import type { RunDeps } from '../../runs/deps.ts';
import { EstimateBody, RunEstimate } from '../../runs/estimate/estimate.schema.ts';
import { estimateWorkflow } from '../../runs/estimate/estimate-run.ts';
import { CreditsAnswer, PoolAnswer } from '../../runs/run-answer.schema.ts';
import {
  GrantBody,
  getCredits,
  getCreditsOf,
  grantCredits,
  LedgerQuery,
} from '../../services/credits/credits.ts';
import {
  BudgetPage,
  getSpending,
  listOwnBudgets,
  SpendingAnswer,
  SpendingQuery,
} from '../../services/credits/spending.ts';
import { PageQuery } from '../../services/paging.ts';
import { WorkflowId } from '../../services/workflows/workflow.schema.ts';
import type { App } from '../app.ts';

export function registerCredits(app: App, deps: RunDeps): void {
  app.get(
    '/api/v1/credits',
    {
      schema: {
        tags: ['Credits'],
        summary: 'Read the balance and the ledger of your active workspace',
        querystring: PageQuery,
        response: { 200: CreditsAnswer },
      },
    },
    req => getCredits(deps, req.actor, req.query),
  );
  app.get(
    '/api/v1/credits/spending',
    {
      schema: {
        tags: ['Credits'],
        summary: 'Read what your active workspace has spent, by day, model and workflow',
        querystring: SpendingQuery,
        response: { 200: SpendingAnswer },
      },
    },
    req => getSpending(deps, req.actor, req.query),
  );
  app.get(
    '/api/v1/credits/budgets',
    {
      schema: {
        tags: ['Credits'],
        summary: 'List the workflows of your active workspace that have a budget',
        querystring: PageQuery,
        response: { 200: BudgetPage },
      },
    },
    req => listOwnBudgets(deps, req.actor, req.query),
  );
  app.get(
    '/api/v1/admin/credits',
    {
      schema: {
        tags: ['Operator'],
        summary: 'Read the balance and the ledger of a user or a team',
        querystring: LedgerQuery,
        response: { 200: CreditsAnswer },
      },
    },
    req => getCreditsOf(deps, req.actor, req.query),
  );
  app.post(
    '/api/v1/admin/credits',
    {
      schema: {
        tags: ['Operator'],
        summary: 'Grant credits to a user or a team',
        body: GrantBody,
        response: { 200: PoolAnswer },
      },
    },
    req => grantCredits(deps, req.actor, req.body),
  );
  app.post(
    '/api/v1/workflows/:id/estimate',
    {
      schema: {
        tags: ['Credits'],
        summary: 'Estimate what a run would cost, without starting it',
        params: WorkflowId,
        body: EstimateBody,
        response: { 200: RunEstimate },
      },
      config: { asSent: { inputs: 'read' } },
    },
    req => estimateWorkflow(deps, req.actor, { workflowId: req.params.id, request: req.body }),
  );
}
