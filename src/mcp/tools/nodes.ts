// Defines the tool that searches the catalog: a query returns summaries, node types return complete entries.
import { Type } from 'typebox';
import type { CatalogEntry, InputDef, OutputDef } from '../../graph/catalog.ts';
import { canFeed } from '../../graph/catalog.ts';
import { COMPONENT_CALL } from '../../graph/components/calls.ts';
import { describeUnknownType } from '../../graph/nearest.ts';
import { searchNodes, toSearchWords } from '../../graph/search-nodes.ts';
import { PORT_TYPES, type PortType } from '../../graph/types.ts';
import { AppError } from '../../lib/errors.ts';
import type { RunDeps } from '../../runs/deps.ts';
import { listEntries } from '../../services/catalog.ts';
import { type FoundComponent, findComponents } from '../../services/components/find-components.ts';
import { Exact } from '../../services/schema.ts';
import { RENDERER } from '../../services/workflows/graph-text.ts';
import { formatPorts } from '../agent-graph.ts';
import { AnyObject, defineTool, Limit, OneOf, OutputSchema, READ_HINTS } from '../tool.ts';

const DEFAULT_LIMIT = 12;

export const findNodesTool = defineTool({
  name: 'find_nodes',
  title: 'Find node types',
  description:
    'Find node types, and your workflows to call as components, by what they do or by the types of their ports; with nodeTypes, read their ports, config and an example.',
  scope: 'workflows:read',
  hints: READ_HINTS,
  input: Exact({
    query: Type.Optional(Type.String({ maxLength: 200, description: 'Words that describe the node' })),
    accepts: Type.Optional(OneOf(PORT_TYPES)),
    produces: Type.Optional(OneOf(PORT_TYPES)),
    freeOnly: Type.Optional(Type.Boolean()),
    limit: Limit(50),
    nodeTypes: Type.Optional(
      Type.Array(Type.String({ maxLength: 200 }), {
        minItems: 1,
        maxItems: 5,
        description: 'Return the complete entries of these',
      }),
    ),
  }),
  output: OutputSchema({
    nodes: Type.Array(AnyObject()),
    total: Type.Integer(),
    components: Type.Array(AnyObject()),
    note: Type.String(),
  }),
  tooLongHint: 'Use a more exact query, a smaller limit, or fewer nodeTypes.',
  call: async ({ deps, actor }, { nodeTypes, ...search }) => {
    if (nodeTypes !== undefined) return { data: presentEntries(deps, nodeTypes) };
    const words = toSearchWords(search.query ?? '');
    const { accepts, produces } = search;
    const found = await findComponents(deps, actor, { words, accepts, produces, limit: MAX_COMPONENTS });
    const components = found.map(presentComponent);
    return {
      data: {
        ...searchCatalog(await listEntries(deps, actor), search),
        components: components.length === 0 ? undefined : components,
      },
    };
  },
});

const MAX_COMPONENTS = 5;

/** Presents a workflow as a node that can be added with these settings. */
function presentComponent({ workflowId, name, description, version, inputs, outputs }: FoundComponent) {
  return {
    nodeType: COMPONENT_CALL,
    name,
    about: description?.slice(0, 200).toWellFormed(),
    config: { workflowId, version },
    in: formatPorts(inputs),
    out: formatPorts(outputs),
  };
}

interface Search {
  readonly query?: string;
  readonly accepts?: PortType;
  readonly produces?: PortType;
  readonly freeOnly?: boolean;
  readonly limit?: number;
}

function searchCatalog(entries: readonly CatalogEntry[], search: Search) {
  const offered = entries.filter(
    entry => entry.hidden !== true && entry.deprecated !== true && matchesFilters(entry, search),
  );
  const matches = searchNodes(offered, search.query ?? '');
  const nodes = matches.slice(0, search.limit ?? DEFAULT_LIMIT).map(presentSummary);
  const note =
    matches.length === 0 ? { note: 'No matches. Try other words, or only accepts or produces.' } : {};
  return { nodes, total: matches.length, ...note };
}

function matchesFilters({ inputs, outputs, executionCost }: CatalogEntry, search: Search): boolean {
  const { accepts, produces, freeOnly } = search;
  return (
    (accepts === undefined || inputs.some(({ isPort, type }) => isPort && canFeed(accepts, type))) &&
    (produces === undefined || outputs.some(({ isPort, type }) => isPort && type === produces)) &&
    (freeOnly !== true || executionCost === 'free')
  );
}

function presentSummary(entry: CatalogEntry) {
  return {
    nodeType: entry.nodeType,
    label: entry.label,
    about: entry.description ?? '',
    price: formatPrice(entry),
    ...(entry.nodeType === RENDERER.nodeType ? { note: RENDERER.note } : {}),
  };
}

function formatPrice({ executionCost, estimatedCredits }: CatalogEntry): string {
  if (executionCost === 'free') return 'free';
  return estimatedCredits === null ? 'paid; depends on its settings' : `${estimatedCredits} credits`;
}

function presentEntries({ catalog }: RunDeps, nodeTypes: readonly string[]) {
  const entries = nodeTypes.map(nodeType => {
    const entry = catalog.find(nodeType);
    if (entry !== undefined) return entry;
    throw new AppError('not_found', `${describeUnknownType(nodeType, catalog)} Search with query.`);
  });
  return { nodes: entries.map(presentDetails), total: entries.length };
}

function presentDetails(entry: CatalogEntry) {
  const { inputs, outputs, dynamicPortsNote } = entry;
  return {
    ...presentSummary(entry),
    in: inputs.filter(({ isPort }) => isPort).map(describeInput),
    out: outputs.filter(({ isPort }) => isPort).map(({ id, type }: OutputDef) => `${id} ${type}`),
    config: inputs.filter(({ isPort, removed }) => !isPort && removed !== true).map(describeInput),
    ports: dynamicPortsNote,
    example: entry.nodeType === RENDERER.nodeType ? undefined : createExample(entry),
  };
}

/** Describes a field in one line: `width NUMBER, default 1024, 64 to 2048`. */
function describeInput(def: InputDef): string {
  const { min, max } = def;
  const range = min === undefined && max === undefined ? undefined : `${min ?? ''} to ${max ?? ''}`.trim();
  return [
    `${def.id} ${def.type}`,
    def.required === true ? 'required' : undefined,
    def.default === undefined ? undefined : `default ${JSON.stringify(def.default)}`,
    def.enum === undefined ? undefined : `one of ${def.enum.join(' | ')}`,
    range,
    def.description,
  ]
    .filter(part => part !== undefined)
    .join(', ');
}

/** Returns an example node for create_workflow, with required settings and choices. */
function createExample({ nodeType, inputs }: CatalogEntry) {
  const fields = inputs.filter(({ isPort, removed }) => !isPort && removed !== true);
  const config = Object.fromEntries(
    fields
      .filter(({ enum: values, required, default: value }) => value !== undefined && (required || values))
      .map(({ id, default: value }) => [id, value]),
  );
  return { id: nodeType.split(':').at(-1) ?? nodeType, nodeType, config };
}
