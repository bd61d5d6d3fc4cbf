// Defines a small catalog and short notations for nodes and edges, for the tests of graph/.
import type { Catalog, CatalogEntry, InputDef, OutputDef } from '../../src/graph/catalog.ts';
import type { GraphEdge, GraphNode, JsonObject, PortType } from '../../src/graph/types.ts';

const port = (id: string, type: PortType, more: Partial<InputDef> = {}): InputDef => ({
  id,
  label: id,
  type,
  isPort: true,
  ...more,
});
const field = (id: string, type: PortType, more: Partial<InputDef> = {}): InputDef => ({
  ...port(id, type, more),
  isPort: false,
});
const out = (id: string, type: PortType): OutputDef => ({ id, label: id, type, isPort: true });

function entry(
  nodeType: string,
  inputs: readonly InputDef[],
  outputs: readonly OutputDef[],
  more: Partial<CatalogEntry> = {},
): CatalogEntry {
  return {
    nodeType,
    label: nodeType,
    category: 'utility',
    source: 'non-vendor',
    inputs,
    outputs,
    executionCost: 'free',
    pricingModel: 'free',
    estimatedCredits: 0,
    ...more,
  };
}

const ENTRIES: readonly CatalogEntry[] = [
  entry('input:text', [field('value', 'TEXT')], [out('text', 'TEXT')], { category: 'input' }),
  entry('utility:text_template', [field('template', 'TEXT')], [out('text', 'TEXT')]),
  entry('input:list', [field('items', 'LIST')], [out('list', 'LIST')], { category: 'input' }),
  entry(
    'generate:image',
    [
      port('prompt', 'TEXT', { required: true }),
      port('mask', 'IMAGE'),
      field('width', 'NUMBER', { default: 1024, min: 64, max: 4096 }),
      field('style', 'TEXT', { enum: ['Gradient', 'blocks', 'rings'] }),
      field('refs', 'LIST'),
      field('logo', 'IMAGE'),
      field('any', 'ANY'),
      field('json', 'JSON'),
    ],
    [out('image', 'IMAGE')],
    { category: 'model', executionCost: 'paid' },
  ),
  entry(
    'utility:join',
    ['a', 'b', 'c'].map(id => port(id, 'TEXT')),
    [out('text', 'TEXT')],
  ),
  entry('utility:call', [field('url', 'TEXT', { required: true, description: 'Where to.' })], []),
  entry('utility:gather', [port('list', 'LIST')], [out('list', 'LIST'), out('count', 'NUMBER')]),
  entry(
    'utility:split',
    [port('text', 'TEXT')],
    ['a', 'b', 'c', 'd'].map(id => out(id, 'TEXT')),
  ),
  entry('output:preview', [port('input', 'ANY', { required: true })], [], { category: 'output' }),
  entry('utility:old', [port('text', 'TEXT')], [out('text', 'TEXT')], { deprecated: true }),
  entry('utility:group', [field('childNodeIds', 'JSON')], [], { customNodeType: 'groupFrame' }),
  entry('utility:sticky_note', [field('text', 'TEXT')], [], { customNodeType: 'stickyNote' }),
];

const BY_TYPE = new Map(ENTRIES.map(item => [item.nodeType, item]));

export const CATALOG: Catalog = {
  entries: ENTRIES,
  find: nodeType => BY_TYPE.get(nodeType),
  ports: nodeType => BY_TYPE.get(nodeType) ?? { inputs: [], outputs: [] },
};

/** Creates a node of this catalog. `more` overrides the defaults. */
export function node(
  id: string,
  nodeType: string,
  config: JsonObject = {},
  more: Partial<GraphNode> = {},
): GraphNode {
  const entry = BY_TYPE.get(nodeType);
  const category = entry?.category ?? 'utility';
  return {
    id,
    type: entry?.customNodeType ?? 'basedNode',
    position: { x: 0, y: 0 },
    ...more,
    data: { label: id, category, nodeType, config, ...more.data },
  };
}

/** Parses `a.text > b.prompt` into an edge. */
export function edge(text: string): GraphEdge {
  const [from = '', to = ''] = text.split(' > ');
  const [source = '', output] = from.split('.');
  const [target = '', input] = to.split('.');
  return {
    id: text,
    source,
    target,
    ...(output === undefined ? {} : { sourceHandle: `out-${output}` }),
    ...(input === undefined ? {} : { targetHandle: `in-${input}` }),
  };
}
