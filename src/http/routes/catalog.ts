// Registers the routes for the catalog, GET /nodes and GET /models: by workspace, or public and cached for an hour.
import {
  CATALOG_RESPONSES,
  CatalogQuery,
  ModelPrices,
  ModelPricesBody,
} from '../../services/catalog.schema.ts';
import { listCatalog } from '../../services/catalog.ts';
import type { Deps } from '../../services/deps.ts';
import { priceModels } from '../../services/models/price-models.ts';
import { sendCached } from '../conditional.ts';
import type { Server } from '../deps.ts';
import { createDescriber } from '../route.ts';

const operation = createDescriber('Catalog');
/** Settings of 500 models, without long texts. */
const MAX_PRICES_BODY_BYTES = 524_288;

const ROUTES = {
  nodes: operation('listNodes', 'anyone', {
    summary: 'List node types',
    description:
      'Returns all node types with their ports, config fields, defaults and prices. Hidden types (variants, deprecated types, providers without an API key) are included with `includeHidden=1`. Types that cannot run on this instance have `isAvailable: false`. With a key or session, the types that the active workspace can use by stored credentials are available too. Without one, the response is cached for an hour.',
    isConditional: true,
    querystring: CatalogQuery,
    response: { 200: CATALOG_RESPONSES.nodes },
  }),
  models: operation('listModels', 'anyone', {
    summary: 'List models',
    description:
      'Returns the entries of `GET /nodes` that are models. With `includeHidden=1`, models of providers that are not configured are included, with their prices and `isAvailable: false`.',
    isConditional: true,
    querystring: CatalogQuery,
    response: { 200: CATALOG_RESPONSES.models },
  }),
};

export function registerCatalog(server: Server, deps: Deps): void {
  for (const list of ['nodes', 'models'] as const)
    server.get(`/api/v1/${list}`, ROUTES[list], async (req, reply) => {
      const response = await listCatalog(deps, req.actor, list, req.query);
      // The models of a credential that was just added must appear immediately.
      const cacheControl = req.actor.kind === 'anonymous' ? 'public, max-age=3600' : 'private, no-cache';
      return sendCached(req, reply.header('vary', 'Authorization, Cookie'), response, cacheControl);
    });
  server.post(
    '/api/v1/models/prices',
    {
      bodyLimit: MAX_PRICES_BODY_BYTES,
      ...operation('priceModels', 'workflows:read', {
        summary: 'Price models',
        description:
          'Returns what one call of each model costs with the given settings, to compare models before you choose one. The price of a connected value, such as the length of a video, is not known.',
        body: ModelPricesBody,
        response: { 200: ModelPrices },
      }),
    },
    req => priceModels(deps, req.actor, req.body),
  );
}
