// fal's list of its models with their OpenAPI documents, and its list of prices.
// https://fal.ai/docs/api-reference/platform-apis/for-models
import { isRecord } from '../../../lib/record.ts';
import { asArray, asRecord, asText, type JsonRecord } from '../../../providers/answer.ts';
import type { PublishedModel, PublishedPrice } from '../from-schema.ts';
import type { ListedModel, ListingHost, ListingQuery } from './listing.ts';
import { toListed } from './listing.ts';

const QUEUE_URL = 'https://queue.fal.run';
const API_URL = 'https://api.fal.ai';
// The list of prices takes so many at once.
const PAGE = 50;
const MAX_PAGES = 100;

export async function listFal(query: ListingQuery, host: ListingHost): Promise<readonly ListedModel[]> {
  const rows: JsonRecord[] = [];
  for (const part of partsOf(query)) rows.push(...(await readPages(part, host)));
  const prices = query.isFull
    ? await readPrices(
        rows.map(row => String(row.endpoint_id)),
        host,
      )
    : new Map();
  return rows.map(row => toRow(row, prices, host));
}

/** A question for each page of named endpoints, or one for all. */
function partsOf({ endpoints, words, category, isFull }: ListingQuery): readonly URLSearchParams[] {
  const base = new URLSearchParams({ limit: String(PAGE) });
  if (isFull) base.set('expand', 'openapi-3.0');
  if (words !== undefined && words !== '') base.set('q', words);
  if (category !== undefined) base.set('category', category);
  if (endpoints === undefined) return [base];
  return chunk(endpoints).map(some => {
    const part = new URLSearchParams(base);
    for (const endpoint of some) part.append('endpoint_id', endpoint);
    return part;
  });
}

async function readPages(question: URLSearchParams, host: ListingHost): Promise<readonly JsonRecord[]> {
  const rows: JsonRecord[] = [];
  const seen = new Set<string>();
  const asked = new URLSearchParams(question);
  for (let page = 0; page < MAX_PAGES; page++) {
    const answer = asRecord(await ask(`/v1/models?${asked}`, host));
    if (!Array.isArray(answer.models)) return [...rows, ...(await readEach(question, host))];
    for (const row of answer.models.map(asRecord)) {
      const id = asText(row.endpoint_id);
      if (id !== undefined && !seen.has(id)) rows.push(row);
      if (id !== undefined) seen.add(id);
    }
    const next = asText(answer.next_cursor);
    if (next === undefined || answer.has_more === false || next === asked.get('cursor')) return rows;
    asked.set('cursor', next);
  }
  throw new Error(`fal's list has more than ${MAX_PAGES} pages: name a category.`);
}

/** One of several that fal does not know may refuse all of the question: then each is asked for by itself. */
async function readEach(question: URLSearchParams, host: ListingHost): Promise<readonly JsonRecord[]> {
  const endpoints = question.getAll('endpoint_id');
  if (endpoints.length === 0) throw new Error("fal's answer is no list of models.");
  if (endpoints.length === 1) return [];
  const rows: JsonRecord[] = [];
  for (const endpoint of endpoints) {
    const one = new URLSearchParams(question);
    one.set('endpoint_id', endpoint);
    rows.push(...(await readPages(one, host)));
  }
  return rows;
}

async function readPrices(
  endpoints: readonly string[],
  host: ListingHost,
): Promise<ReadonlyMap<string, PublishedPrice>> {
  const prices = new Map<string, PublishedPrice>();
  for (const some of chunk(endpoints)) {
    const asked = new URLSearchParams(some.map(endpoint => ['endpoint_id', endpoint] as [string, string]));
    const answer = asRecord(await ask(`/v1/models/pricing?${asked}`, host));
    for (const { endpoint_id, unit_price, unit, currency } of asArray(answer.prices).map(asRecord)) {
      const isUsd = currency === undefined || String(currency).toUpperCase() === 'USD';
      if (typeof unit_price !== 'number' || typeof unit !== 'string' || !isUsd) continue;
      prices.set(String(endpoint_id), { usd: unit_price, unit });
    }
  }
  return prices;
}

function ask(path: string, { endpoint: { baseUrl, key }, fetchJson }: ListingHost): Promise<unknown> {
  // As with its storage: behind a proxy or a double it is below the base that was configured.
  const base = baseUrl === QUEUE_URL ? API_URL : baseUrl;
  return fetchJson(base + path, { authorization: `Key ${key}` });
}

function toRow(
  row: JsonRecord,
  prices: ReadonlyMap<string, PublishedPrice>,
  { date }: ListingHost,
): ListedModel {
  const endpoint = String(row.endpoint_id);
  const { display_name, category, status } = asRecord(row.metadata);
  const facts = {
    provider: 'fal' as const,
    endpoint,
    label: asText(display_name) ?? endpoint,
    category: asText(category),
    isDeprecated: status === 'deprecated',
  };
  if (row.openapi === undefined)
    return toListed(facts, () => ({ ...facts, ...NOTHING, source: API_URL, date }));
  const source = `https://fal.ai/models/${endpoint}`;
  return toListed(facts, () => ({
    ...facts,
    ...schemasOf(row.openapi),
    price: prices.get(endpoint),
    source,
    date,
  }));
}

const NOTHING = { document: {}, input: undefined, output: undefined } as const;

/** The body of the submission is the input; what the result's own address answers is the output. */
function schemasOf(document: unknown): Pick<PublishedModel, 'document' | 'input' | 'output'> {
  const paths = Object.entries(asRecord(asRecord(document).paths)).slice(0, 50);
  const submission = paths
    .map(([, path]) => asRecord(asRecord(path).post))
    .find(post => isRecord(post.requestBody));
  const result = paths.find(
    ([name, path]) => /\/requests\/\{[^}]+\}$/.test(name) && isRecord(asRecord(path).get),
  );
  const answer = result === undefined ? submission : asRecord(asRecord(result[1]).get);
  return {
    document,
    input: bodyOf(submission?.requestBody),
    output: bodyOf(asRecord(asRecord(answer).responses)['200']),
  };
}

function bodyOf(holder: unknown): unknown {
  return asRecord(asRecord(asRecord(holder).content)['application/json']).schema;
}

function chunk(items: readonly string[]): readonly (readonly string[])[] {
  return Array.from({ length: Math.ceil(items.length / PAGE) }, (_, page) =>
    items.slice(page * PAGE, (page + 1) * PAGE),
  );
}
