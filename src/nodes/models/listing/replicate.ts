// Lists Replicate's models. The schema of a model's latest version describes its parameters.
// https://replicate.com/docs/reference/http
import { asArray, asNonEmptyText, asRecord, type JsonRecord } from '../../../providers/response.ts';
import type { ListedModel, ListingHost, ListingQuery } from './listing.ts';
import { createListedModel } from './listing.ts';

const MAX_PAGES = 20;
const MODEL_NAME = /^\w[\w.-]*\/\w[\w.-]*$/;

export async function listReplicate(query: ListingQuery, host: ListingHost): Promise<readonly ListedModel[]> {
  if (query.endpoints !== undefined) {
    const models: ListedModel[] = [];
    for (const endpoint of query.endpoints) models.push(...(await readModel(endpoint, host)));
    return models;
  }
  if (query.category !== undefined) {
    const { models } = asRecord(await request(`/collections/${encodeURIComponent(query.category)}`, host));
    return asArray(models).map(row => toListedModel(asRecord(row), host));
  }
  const words = query.searchText ?? '';
  const rows = words === '' ? await readPages(host) : await search(words, host);
  return rows.map(row => toListedModel(row, host));
}

/** Returns an empty list if Replicate no longer has the model. */
async function readModel(endpoint: string, host: ListingHost): Promise<readonly ListedModel[]> {
  const [name = ''] = endpoint.split(':');
  if (!MODEL_NAME.test(name)) return [];
  const row = asRecord(await request(`/models/${name}`, host));
  return asNonEmptyText(row.name) === undefined ? [] : [toListedModel(row, host)];
}

async function search(words: string, host: ListingHost): Promise<readonly JsonRecord[]> {
  const { models } = asRecord(await request(`/search?query=${encodeURIComponent(words)}`, host));
  return asArray(models).map(model => asRecord(asRecord(model).model ?? model));
}

async function readPages(host: ListingHost): Promise<readonly JsonRecord[]> {
  const rows: JsonRecord[] = [];
  let path: string | undefined = '/models';
  for (let page = 0; page < MAX_PAGES && path !== undefined; page++) {
    const response: JsonRecord = asRecord(await request(path, host));
    rows.push(...asArray(response.results).map(asRecord));
    // The URL of the next page is absolute; only the part after the base URL is used.
    path = /\/models(\?[\w=&%.+-]*)$/.exec(asNonEmptyText(response.next) ?? '')?.[0];
  }
  return rows;
}

function request(path: string, { endpoint: { baseUrl, key }, fetchJson }: ListingHost): Promise<unknown> {
  return fetchJson(baseUrl + path, { authorization: `Bearer ${key}` });
}

function toListedModel(
  { owner, name, latest_version, is_official }: JsonRecord,
  { date }: ListingHost,
): ListedModel {
  const { id, openapi_schema: document } = asRecord(latest_version);
  const model = `${String(owner)}/${String(name)}`;
  // Official models run by name, all others by the version that this schema belongs to.
  const version = asNonEmptyText(id);
  const endpoint = is_official === true || version === undefined ? model : `${model}:${version}`;
  const { Input, Output } = asRecord(asRecord(asRecord(document).components).schemas);
  const info = { provider: 'replicate' as const, endpoint, label: model };
  const source = `https://replicate.com/${model}`;
  return createListedModel(info, () => ({ ...info, document, input: Input, output: Output, source, date }));
}
