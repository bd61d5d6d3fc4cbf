// Routes of the models that the operator adds. The command line uses them if it cannot connect to the database.
import type { Deps } from '../../services/deps.ts';
import {
  InstalledModelsResponse,
  ModelPlanResponse,
  OffersQuery,
  OffersResponse,
  PlanModelsBody,
  WriteModelsBody,
} from '../../services/models/models.schema.ts';
import { readModels, writeModels } from '../../services/models/models.ts';
import { findOffers, planModels } from '../../services/models/offers.ts';
import type { App } from '../app.ts';
import { documented } from '../route.ts';

const about = documented('Operator');
/** Enough for every model of a provider in one request. */
const MAX_BODY_BYTES = 33_554_432;

export function registerModels(app: App, deps: Deps): void {
  app.get('/api/v1/admin/models', about('List the added models', { 200: InstalledModelsResponse }), req =>
    readModels(deps, req.actor),
  );
  app.post(
    '/api/v1/admin/models',
    {
      bodyLimit: MAX_BODY_BYTES,
      ...about('Add or replace models', { 200: InstalledModelsResponse }, { body: WriteModelsBody }),
    },
    req => writeModels(deps, req.actor, req.body),
  );
  app.get(
    '/api/v1/admin/models/offers',
    about('Search the models of a provider', { 200: OffersResponse }, { querystring: OffersQuery }),
    req => findOffers(deps, req.actor, { query: '', ...req.query }),
  );
  app.post(
    '/api/v1/admin/models/plan',
    about('Plan changes of models', { 200: ModelPlanResponse }, { body: PlanModelsBody }),
    req => planModels(deps, req.actor, req.body),
  );
}
