// The operator's models over HTTP: how the command line reaches a service whose database it cannot open.
import type { Deps } from '../../services/deps.ts';
import {
  InstalledModelsAnswer,
  ModelPlanAnswer,
  OffersAnswer,
  OffersQuery,
  PlanModelsBody,
  WriteModelsBody,
} from '../../services/models/models.schema.ts';
import { readModels, writeModels } from '../../services/models/models.ts';
import { findOffers, planModels } from '../../services/models/offers.ts';
import type { App } from '../app.ts';
import { documented } from '../route.ts';

const about = documented('Operator');
/** All that a provider lists, at once. */
const MAX_BODY_BYTES = 33_554_432;

export function registerModels(app: App, deps: Deps): void {
  app.get(
    '/api/v1/admin/models',
    about('List the models that were added', { 200: InstalledModelsAnswer }),
    req => readModels(deps, req.actor),
  );
  app.post(
    '/api/v1/admin/models',
    {
      bodyLimit: MAX_BODY_BYTES,
      ...about(
        'Add models, or change them: all or none',
        { 200: InstalledModelsAnswer },
        { body: WriteModelsBody },
      ),
    },
    req => writeModels(deps, req.actor, req.body),
  );
  app.get(
    '/api/v1/admin/models/offers',
    about('Search the list of a provider', { 200: OffersAnswer }, { querystring: OffersQuery }),
    req => findOffers(deps, req.actor, { query: '', ...req.query }),
  );
  app.post(
    '/api/v1/admin/models/plan',
    about(
      'Show what adding models, or comparing with a provider, would change',
      { 200: ModelPlanAnswer },
      { body: PlanModelsBody },
    ),
    req => planModels(deps, req.actor, req.body),
  );
}
