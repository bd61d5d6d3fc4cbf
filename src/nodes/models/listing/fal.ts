// Reads fal's list of models with their OpenAPI documents, and its list of prices.
// https://fal.ai/docs/api-reference/platform-apis/for-models
import { isRecord } from '../../../lib/record.ts';
import { asNonEmptyText, asRecord, type JsonRecord } from '../../../providers/response.ts';
import type { PublishedModel, PublishedPrice } from '../from-schema.ts';
import {
  createListedModel,
  type ListedModel,
  type ListingHost,
  type ListingQuery,
  ListingRejectedError,
} from './listing.ts';

const QUEUE_URL = 'https://queue.fal.run';
const API_URL = 'https://api.fal.ai';
/** The largest page, and the most names in one request. fal accepts fewer if the response includes schemas. */
const [PAGE_SIZE, FULL_PAGE_SIZE] = [50, 10] as const;
const MAX_PAGES = 500;

export async function listFal(query: ListingQuery, host: ListingHost): Promise<readonly ListedModel[]> {
  const rows = await readModels(query, host);
  const prices = query.isFull
    ? await readPrices(
        rows.map(row => String(row.endpoint_id)),
        host,
      )
    : new Map();
  return rows.map(row => toListedModel(row, prices, host));
}

const NOT_A_LIST = "fal's response is not a list of models.";

async function readModels(
  { endpoints, searchText, category, isFull }: ListingQuery,
  host: ListingHost,
): Promise<readonly JsonRecord[]> {
  const query = new URLSearchParams();
  if (isFull) query.set('expand', 'openapi-3.0');
  if (searchText !== undefined && searchText !== '') query.set('q', searchText);
  if (category !== undefined) query.set('category', category);
  const pages = { limit: isFull ? FULL_PAGE_SIZE : PAGE_SIZE };
  if (endpoints === undefined) {
    const rows = await readPages(query, pages, host);
    if (rows === undefined) throw new Error(NOT_A_LIST);
    return rows;
  }
  return readByName(endpoints, pages.limit, batch => {
    const part = new URLSearchParams(query);
    for (const endpoint of batch) part.append('endpoint_id', endpoint);
    return readPages(part, pages, host);
  });
}

/** Returns undefined if fal does not know one of the requested models. Throws if the response is not a list. */
async function readPages(
  filter: URLSearchParams,
  pages: { limit: number },
  host: ListingHost,
): Promise<readonly JsonRecord[] | undefined> {
  const rows: JsonRecord[] = [];
  const seen = new Set<string>();
  const query = new URLSearchParams(filter);
  for (let page = 0; page < MAX_PAGES; page++) {
    const response = await requestPage(query, pages, host);
    // fal does not know a requested model.
    if (Object.keys(response).length === 0) return undefined;
    if (!Array.isArray(response.models)) throw new Error(NOT_A_LIST);
    for (const row of response.models.map(asRecord)) {
      const id = asNonEmptyText(row.endpoint_id);
      if (id !== undefined && !seen.has(id)) rows.push(row);
      if (id !== undefined) seen.add(id);
    }
    const nextCursor = asNonEmptyText(response.next_cursor);
    if (nextCursor === undefined || response.has_more === false || nextCursor === query.get('cursor'))
      return rows;
    query.set('cursor', nextCursor);
  }
  throw new Error(`fal's list has more than ${MAX_PAGES} pages. Choose a category.`);
}

/** Reduces the page size for all further requests when fal says that it is too large. */
async function requestPage(
  query: URLSearchParams,
  pages: { limit: number },
  host: ListingHost,
): Promise<JsonRecord> {
  for (;;) {
    query.set('limit', String(pages.limit));
    try {
      return asRecord(await request(`/v1/models?${query}`, host));
    } catch (err) {
      const lower =
        err instanceof ListingRejectedError && err.status === 400 ? parseLowerLimit(err, pages.limit) : 0;
      if (lower === 0) throw err;
      pages.limit = lower;
    }
  }
}

/**
 * Reads "Requested limit 50 exceeds maximum of 10 for this query". Returns 0 if the request was refused for another
 * reason.
 */
function parseLowerLimit({ detail }: ListingRejectedError, limit: number): number {
  if (!/limit/i.test(detail)) return 0;
  const maximum = Number(/maximum of (\d{1,4})/.exec(detail)?.[1] ?? Math.floor(limit / 2));
  return maximum < limit ? maximum : 0;
}

/** Reads models by name. An unknown name can fail a whole batch, so the halves of a failed batch are read separately. */
async function readByName(
  endpoints: readonly string[],
  maxBatch: number,
  read: (batch: readonly string[]) => Promise<readonly JsonRecord[] | undefined>,
): Promise<readonly JsonRecord[]> {
  const rows: JsonRecord[] = [];
  const batches = Array.from({ length: Math.ceil(endpoints.length / maxBatch) }, (_, index) =>
    endpoints.slice(index * maxBatch, (index + 1) * maxBatch),
  );
  for (let batch = batches.shift(); batch !== undefined; batch = batches.shift()) {
    const results = await read(batch);
    if (results !== undefined) rows.push(...results);
    else if (batch.length > 1) {
      const middle = Math.ceil(batch.length / 2);
      batches.unshift(batch.slice(0, middle), batch.slice(middle));
    }
  }
  return rows;
}

async function readPrices(
  endpoints: readonly string[],
  host: ListingHost,
): Promise<ReadonlyMap<string, PublishedPrice>> {
  const rows = await readByName(endpoints, PAGE_SIZE, batch => requestPrices(batch, host));
  return new Map(
    rows.flatMap(({ endpoint_id, unit_price, unit, currency }) => {
      const isUsd = currency === undefined || String(currency).toUpperCase() === 'USD';
      if (typeof unit_price !== 'number' || typeof unit !== 'string' || !isUsd) return [];
      return [[String(endpoint_id), { usd: unit_price, unit }] as const];
    }),
  );
}

/** Returns undefined if one of the models has no price. */
async function requestPrices(
  endpoints: readonly string[],
  host: ListingHost,
): Promise<readonly JsonRecord[] | undefined> {
  const query = new URLSearchParams(endpoints.map(endpoint => ['endpoint_id', endpoint] as [string, string]));
  try {
    const { prices } = asRecord(await request(`/v1/models/pricing?${query}`, host));
    return Array.isArray(prices) ? prices.map(asRecord) : undefined;
  } catch (err) {
    if (err instanceof ListingRejectedError && (err.status === 400 || err.status === 422)) return undefined;
    throw err;
  }
}

function request(path: string, { endpoint: { baseUrl, key }, fetchJson }: ListingHost): Promise<unknown> {
  // A proxy or test double serves this API at the configured base URL.
  const base = baseUrl === QUEUE_URL ? API_URL : baseUrl;
  return fetchJson(base + path, { authorization: `Key ${key}` });
}

function toListedModel(
  row: JsonRecord,
  prices: ReadonlyMap<string, PublishedPrice>,
  { date }: ListingHost,
): ListedModel {
  const endpoint = String(row.endpoint_id);
  const { display_name, category, status } = asRecord(row.metadata);
  const info = {
    provider: 'fal' as const,
    endpoint,
    label: asNonEmptyText(display_name) ?? endpoint,
    category: asNonEmptyText(category),
    isDeprecated: status === 'deprecated',
  };
  if (row.openapi === undefined)
    return createListedModel(info, () => ({ ...info, ...NO_SCHEMAS, source: API_URL, date }));
  const source = `https://fal.ai/models/${endpoint}`;
  return createListedModel(info, () => ({
    ...info,
    ...findSchemas(row.openapi),
    price: prices.get(endpoint),
    source,
    date,
  }));
}

const NO_SCHEMAS = { document: {}, input: undefined, output: undefined } as const;

/** Finds the schemas of the submission's body (input) and of the result (output). */
function findSchemas(document: unknown): Pick<PublishedModel, 'document' | 'input' | 'output'> {
  const paths = Object.entries(asRecord(asRecord(document).paths)).slice(0, 50);
  const submission = paths
    .map(([, path]) => asRecord(asRecord(path).post))
    .find(post => isRecord(post.requestBody));
  const result = paths.find(
    ([name, path]) => /\/requests\/\{[^}]+\}$/.test(name) && isRecord(asRecord(path).get),
  );
  const response = result === undefined ? submission : asRecord(asRecord(result[1]).get);
  return {
    document,
    input: getJsonSchema(submission?.requestBody),
    output: getJsonSchema(asRecord(asRecord(response).responses)['200']),
  };
}

function getJsonSchema(holder: unknown): unknown {
  return asRecord(asRecord(asRecord(holder).content)['application/json']).schema;
}
