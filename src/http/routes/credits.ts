// Routes of credits, budgets and cost estimates.

import type { RunDeps } from '../../runs/deps.ts';
import { EstimateBody, RunEstimate } from '../../runs/estimate/estimate.schema.ts';
import { estimateWorkflow } from '../../runs/estimate/estimate-run.ts';
import { CreditsAnswer, PoolAnswer } from '../../runs/run-answer.schema.ts';
import {
  GrantBody,
  getCredits,
  getUserCredits,
  grantCredits,
  LedgerQuery,
} from '../../services/credits/credits.ts';
import {
  BudgetPage,
  getSpending,
  listOwnBudgets,
  SpendingQuery,
  SpendingResponse,
} from '../../services/credits/spending.ts';
import { PageQuery } from '../../services/paging.ts';
import { WorkflowId } from '../../services/workflows/workflow.schema.ts';
import type { App } from '../app.ts';
import { documented } from '../route.ts';

const about = documented('Credits');
const operator = documented('Operator');

export function registerCredits(app: App, deps: RunDeps): void {
  app.get(
    '/api/v1/credits',
    about(
      'Read the balance and the ledger of your active workspace',
      { 200: CreditsAnswer },
      { querystring: PageQuery },
    ),
    req => getCredits(deps, req.actor, req.query),
  );
  app.get(
    '/api/v1/credits/spending',
    about(
      'Read the spending of your active workspace by day, model and workflow',
      { 200: SpendingResponse },
      { querystring: SpendingQuery },
    ),
    req => getSpending(deps, req.actor, req.query),
  );
  app.get(
    '/api/v1/credits/budgets',
    about('List the budgets of your active workspace', { 200: BudgetPage }, { querystring: PageQuery }),
    req => listOwnBudgets(deps, req.actor, req.query),
  );
  app.get(
    '/api/v1/admin/credits',
    operator(
      'Read the balance and the ledger of a user or a team',
      { 200: CreditsAnswer },
      { querystring: LedgerQuery },
    ),
    req => getUserCredits(deps, req.actor, req.query),
  );
  app.post(
    '/api/v1/admin/credits',
    operator('Grant credits to a user or a team', { 200: PoolAnswer }, { body: GrantBody }),
    req => grantCredits(deps, req.actor, req.body),
  );
  app.post(
    '/api/v1/workflows/:id/estimate',
    {
      ...about(
        'Estimate the cost of a run',
        { 200: RunEstimate },
        { params: WorkflowId, body: EstimateBody },
      ),
      config: { asSent: { inputs: 'read' } },
    },
    req => estimateWorkflow(deps, req.actor, { workflowId: req.params.id, request: req.body }),
  );
}
