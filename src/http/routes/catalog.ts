// Routes of the catalog, GET /nodes and GET /models: public, cached for an hour.
import { Type } from 'typebox';
import { CATALOG_RESPONSES } from '../../services/catalog.schema.ts';
import { listCatalog } from '../../services/catalog.ts';
import type { Deps } from '../../services/deps.ts';
import type { App } from '../app.ts';
import { sendCached } from '../conditional.ts';
import { documented } from '../route.ts';

const Query = Type.Object({
  category: Type.Optional(
    Type.String({
      maxLength: 40,
      description: 'Returns only this category: model, input, utility, output, logic or video',
    }),
  ),
  source: Type.Optional(
    Type.String({
      maxLength: 40,
      description: 'Returns only this source: vendor, non-vendor or registry-shell',
    }),
  ),
  includeHidden: Type.Optional(Type.String({ maxLength: 5, description: '1 includes hidden node types' })),
});

export function registerCatalog(app: App, deps: Deps): void {
  for (const list of ['nodes', 'models'] as const) {
    app.get(
      `/api/v1/${list}`,
      documented('Catalog')(
        list === 'nodes' ? 'List node types' : 'List models',
        { 200: CATALOG_RESPONSES[list] },
        { querystring: Query },
      ),
      (req, reply) => sendCached(req, reply, listCatalog(deps, list, req.query), 'public, max-age=3600'),
    );
  }
}
