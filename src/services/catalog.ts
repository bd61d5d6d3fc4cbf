// Serves the catalog for GET /nodes and GET /models: filtered, with responses cached per query.

import { type CatalogEntry, NODE_SOURCES } from '../graph/catalog.ts';
import { CATEGORIES } from '../graph/types.ts';
import { sha256 } from '../lib/crypto.ts';
import { invalidField } from '../lib/errors.ts';
import { createLru, type Lru } from '../lib/lru.ts';
import type { CatalogResponse, Deps } from './deps.ts';

const VERSION = 1;
const LISTED_CATEGORIES: readonly string[] = [...CATEGORIES, 'video'];

export interface CatalogQuery {
  readonly category?: string | undefined;
  readonly source?: string | undefined;
  readonly includeHidden?: string | undefined;
}

// The entries change rarely, so each response is built once. The number of distinct queries is small: filters are
// closed sets.
const MAX_RESPONSES = 100;

/** Creates a cache of responses by query, for one process. */
export const createCatalogResponses = (): Lru<CatalogResponse> => createLru(MAX_RESPONSES);

/** Returns the response as JSON text. Throws 400 for an unknown filter value. */
export function listCatalog(deps: Deps, list: 'nodes' | 'models', query: CatalogQuery): CatalogResponse {
  checkFilter('category', query.category, LISTED_CATEGORIES);
  checkFilter('source', query.source, NODE_SOURCES);
  checkFilter('includeHidden', query.includeHidden, ['0', '1', 'true', 'false']);
  const includeHidden = query.includeHidden === '1' || query.includeHidden === 'true';
  const key = JSON.stringify([list, query.category, query.source, includeHidden]);
  const cached = deps.catalogResponses.get(key);
  if (cached?.entries === deps.catalog.entries) return cached;
  const { entries: allEntries } = deps.catalog;
  const entries = allEntries.filter(
    entry =>
      (list === 'nodes' || isModel(entry)) &&
      (includeHidden || (entry.hidden !== true && entry.deprecated !== true)) &&
      (query.category === undefined || entry.category === query.category) &&
      (query.source === undefined || entry.source === query.source),
  );
  const head = { version: VERSION, generatedAt: new Date(deps.now()).toISOString(), count: entries.length };
  const response = {
    entries: allEntries,
    text: JSON.stringify({ ...head, [list]: entries }),
    // Computed from the entries only, so that every process and every start computes the same ETag.
    etag: `"${sha256(JSON.stringify(entries)).toString('base64url').slice(0, 22)}"`,
  };
  deps.catalogResponses.set(key, response, 1);
  return response;
}

function isModel(entry: CatalogEntry): boolean {
  return entry.category === 'model' || (entry.category === 'video' && entry.source === 'vendor');
}

function checkFilter(name: string, value: string | undefined, allowedValues: readonly string[]): void {
  if (value === undefined || allowedValues.includes(value)) return;
  throw invalidField(`/${name}`, `must be one of ${allowedValues.join(', ')}`);
}
