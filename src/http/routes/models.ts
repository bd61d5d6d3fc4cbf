// Registers the routes for the models that administrators add. The command line uses them if it cannot connect to the
// database.
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
import { listOffers, planModels } from '../../services/models/offers.ts';
import type { Server } from '../deps.ts';
import { createDescriber } from '../route.ts';

const operation = createDescriber('Administration');
/** Enough for every model of a provider in one request. */
const MAX_BODY_BYTES = 33_554_432;

export function registerModels(server: Server, deps: Deps): void {
  server.get(
    '/api/v1/admin/models',
    operation('listAddedModels', 'instance:admin', {
      summary: 'List the added models',
      description:
        'Returns the models that were added to the shipped ones, and the reason for each stored model that is not in use.',
      response: { 200: InstalledModelsResponse },
    }),
    req => readModels(deps, req.actor),
  );
  server.post(
    '/api/v1/admin/models',
    {
      bodyLimit: MAX_BODY_BYTES,
      ...operation('addModels', 'instance:admin', {
        summary: 'Add or replace models',
        description:
          'Adds models and replaces those with the same `nodeType`. If one is invalid, none is added.',
        errors: ['stale_write'],
        body: WriteModelsBody,
        response: { 200: InstalledModelsResponse },
      }),
    },
    req => writeModels(deps, req.actor, req.body),
  );
  server.get(
    '/api/v1/admin/models/offers',
    operation('findModelOffers', 'instance:admin', {
      summary: 'Search the models of a provider',
      description:
        'Returns the first hundred models of a provider that match the search words, and whether each is in use.',
      errors: ['provider_not_configured', 'fetch_failed'],
      querystring: OffersQuery,
      response: { 200: OffersResponse },
    }),
    req => listOffers(deps, req.actor, { query: '', ...req.query }),
  );
  server.post(
    '/api/v1/admin/models/plan',
    operation('planModels', 'instance:admin', {
      summary: 'Plan changes of models',
      description:
        'Returns a plan of model changes without saving anything. With `endpoints`, the plan adds those models. Without, it lists what the provider has changed in the models in use. To apply a plan, send its `models` and `revision` to `POST /admin/models`.',
      errors: ['provider_not_configured', 'fetch_failed', 'not_found'],
      body: PlanModelsBody,
      response: { 200: ModelPlanResponse },
    }),
    req => planModels(deps, req.actor, req.body),
  );
}
