// Lists the models of self-hosted servers: language models of an OpenAI-compatible server, and node types of a ComfyUI
// server.

import { toHeaders } from '../../../providers/comfyui.ts';
import { toOpenAiHeaders } from '../../../providers/openai.ts';
import { asArray, asNonEmptyText, asRecord } from '../../../providers/response.ts';
import { toLine, toModelSlug } from '../from-schema.ts';
import { parseModel } from '../parse-model.ts';
import type { ListedModel, ListingHost, ListingQuery } from './listing.ts';

export async function listOpenAi(query: ListingQuery, host: ListingHost): Promise<readonly ListedModel[]> {
  const { baseUrl, key } = host.endpoint;
  const { data } = asRecord(await host.fetchJson(`${baseUrl}/models`, toOpenAiHeaders(key)));
  const ids = asArray(data).flatMap(row => asNonEmptyText(asRecord(row).id) ?? []);
  return ids.filter(id => isRequested(id, query)).map(id => toLanguageModel(id, host));
}

/** Converts a listed name to a chat model, because a server of this kind does not list what its models do. */
function toLanguageModel(id: string, { endpoint: { baseUrl }, date }: ListingHost): ListedModel {
  const info = { provider: 'openai', endpoint: id, label: toLine(id, 120) || 'nameless' } as const;
  // Only OpenAI itself has renamed the field of the token limit.
  const limit = baseUrl === 'https://api.openai.com/v1' ? { as: 'max_completion_tokens' } : {};
  const fields = [
    { id: 'prompt', label: 'Prompt', type: 'TEXT', isPort: true, required: true },
    { id: 'system', label: 'Instructions', type: 'TEXT', isPort: true },
    {
      id: 'max_tokens',
      label: 'Max tokens',
      type: 'NUMBER',
      integer: true,
      min: 1,
      default: 2048,
      ...limit,
    },
    { id: 'temperature', label: 'Temperature', type: 'NUMBER', min: 0, max: 2 },
  ];
  try {
    const model = parseModel({
      nodeType: `text:openai_${toModelSlug(id.replaceAll(':', '_'))}`,
      ...info,
      fields,
      output: { kind: 'text' },
      price: null,
      priceSource:
        'priced per token; the cost is known only after the call; set PRICES_FILE for a server of your own',
      schema: { source: `${baseUrl}/models`, date },
    });
    return { ...info, model };
  } catch (err) {
    return { ...info, problem: (err as Error).message };
  }
}

/** Lists the node types that a graph can use. A graph itself is the workflow of a generate:comfyui node. */
export async function listComfyUi(query: ListingQuery, host: ListingHost): Promise<readonly ListedModel[]> {
  const { baseUrl, key } = host.endpoint;
  const nodes = Object.entries(asRecord(await host.fetchJson(`${baseUrl}/object_info`, toHeaders(key))));
  const problem = 'it is a node type; run a graph that uses it with generate:comfyui or video:comfyui';
  return nodes
    .filter(([id]) => isRequested(id, query))
    .map(([endpoint, node]) => {
      const { display_name, category } = asRecord(node);
      const label = toLine(asNonEmptyText(display_name) ?? '', 120) || toLine(endpoint, 120);
      const familyName = asNonEmptyText(category);
      return {
        provider: 'comfyui' as const,
        endpoint: toLine(endpoint, 300),
        label,
        ...(familyName === undefined ? {} : { category: toLine(familyName, 60) }),
        problem,
      };
    });
}

function isRequested(id: string, { endpoints, searchText = '' }: ListingQuery): boolean {
  if (endpoints !== undefined) return endpoints.includes(id);
  return searchText
    .toLowerCase()
    .split(/\s+/)
    .every(word => id.toLowerCase().includes(word));
}
