// Builds a board of models of ours from a graph that consists only of partner nodes and of nodes that load, show or hold
// values. Other graphs stay whole: their parts exchange values that only ComfyUI has.
import { type Catalog, canFeed, type InputDef } from '../catalog.ts';
import { createEdge, createNode, type ImportedNode, INPUT_NODES } from '../imports/board-parts.ts';
import type { Json, JsonObject, PortType } from '../types.ts';
import { type ApiGraph, type ApiLink, type ApiNode, getApiTitle, readApiLink } from './api-graph.ts';
import { findOutputType, LOADERS } from './suggested-ports.ts';

/** A node of ours for a partner node: the first row that fits. */
export interface PartnerRow {
  readonly nodeType: string;
  /** Inputs that must be connected. */
  readonly with?: readonly string[];
  /** Names of inputs to ports and fields of ours. */
  readonly fields: Readonly<Record<string, string>>;
  /** Values with which the node of ours does the same. */
  readonly only?: Readonly<Record<string, readonly Json[]>>;
  /** Values of ours for values of ComfyUI. null leaves the default. */
  readonly values?: Readonly<Record<string, Readonly<Record<string, Json>>>>;
}

export type PartnerTable = Readonly<Record<string, readonly PartnerRow[]>>;

export interface NativeBoard {
  readonly nodes: readonly JsonObject[];
  readonly edges: readonly JsonObject[];
  /** What became of each node of the graph, by its id. */
  readonly outcomes: ReadonlyMap<string, Pick<ImportedNode, 'nodeId' | 'message'>>;
}

/** Values that have no effect on the result, or only in ComfyUI. */
const NEUTRAL: ReadonlySet<string> = new Set([
  'watermark',
  'upload',
  'fail_on_partial',
  'filename_prefix',
  'steps',
]);
const TEXTS: ReadonlySet<string> = new Set(['PrimitiveString', 'PrimitiveStringMultiline']);
interface Source {
  readonly id: string;
  readonly port: string;
  readonly type: PortType;
}

interface Plan {
  readonly node: JsonObject;
  readonly source?: Source;
  /** The port or field of ours by the input of the graph. */
  readonly ports: ReadonlyMap<string, InputDef>;
  readonly message?: string;
}

/** Returns undefined if the graph has a node that has no equal here, or no partner node. */
export function createNativeBoard(
  graph: ApiGraph,
  table: PartnerTable,
  catalog: Pick<Catalog, 'find'>,
): NativeBoard | undefined {
  const entries = Object.entries(graph);
  if (!entries.some(([, { class_type }]) => Object.hasOwn(table, class_type))) return undefined;
  const plans = new Map<string, Plan>();
  for (const [index, [id, node]] of entries.entries()) {
    const plan = planNode(graph, id, node, `node-${index + 1}`, table, catalog);
    if (plan === undefined) return undefined;
    plans.set(id, plan);
  }
  const edges: JsonObject[] = [];
  for (const [id, node] of entries)
    for (const [input, link] of listLinks(node)) {
      const { source } = plans.get(link.node) ?? {};
      const target = plans.get(id);
      const port = target?.ports.get(input);
      // Only the first output of a partner node is its result.
      if (source === undefined || port === undefined || link.slot !== 0) return undefined;
      const type = port.type === 'LIST' ? (port.itemType ?? 'ANY') : port.type;
      if (!port.isPort || !canFeed(source.type, type)) return undefined;
      edges.push(createEdge(source.id, source.port, String(target?.node.id), port.id));
    }
  return {
    nodes: [...plans.values()].map(({ node }) => node),
    edges,
    outcomes: new Map(
      [...plans].map(([id, { node, message }]) => [
        id,
        { nodeId: String(node.id), ...(message === undefined ? {} : { message }) },
      ]),
    ),
  };
}

const listLinks = ({ inputs }: ApiNode): readonly (readonly [input: string, link: ApiLink])[] =>
  Object.entries(inputs).flatMap(([input, value]) => {
    const link = readApiLink(value);
    return link === undefined ? [] : [[input, link] as const];
  });

function planNode(
  graph: ApiGraph,
  sourceId: string,
  node: ApiNode,
  id: string,
  table: PartnerTable,
  catalog: Pick<Catalog, 'find'>,
): Plan | undefined {
  const { class_type, inputs } = node;
  const title = getApiTitle(node);
  if (Object.hasOwn(table, class_type)) return planPartner(node, id, table[class_type] ?? [], catalog);
  const loader = Object.hasOwn(LOADERS, class_type) ? LOADERS[class_type] : undefined;
  if (loader !== undefined) {
    const [nodeType, port] = INPUT_NODES[loader[1]];
    return {
      node: createNode(id, nodeType, title, 'input', {}),
      source: { id, port, type: loader[1] },
      ports: new Map(),
    };
  }
  if (TEXTS.has(class_type) && typeof inputs.value === 'string')
    return {
      node: createNode(id, 'input:text', title, 'input', { value: inputs.value }),
      source: { id, port: 'text', type: 'TEXT' },
      ports: new Map(),
    };
  if (findOutputType(graph, sourceId, { find: () => undefined }) === undefined) return undefined;
  const preview = catalog.find('output:preview');
  const def = preview?.inputs.find(input => input.id === 'input');
  const [first] = listLinks(node);
  return def === undefined || first === undefined
    ? undefined
    : { node: createNode(id, 'output:preview', title, 'output', {}), ports: new Map([[first[0], def]]) };
}

function planPartner(
  node: ApiNode,
  id: string,
  rows: readonly PartnerRow[],
  catalog: Pick<Catalog, 'find'>,
): Plan | undefined {
  const row = rows.find(candidate => fitsRow(node, candidate));
  const entry = row === undefined ? undefined : catalog.find(row.nodeType);
  const [output] = entry?.outputs ?? [];
  if (row === undefined || entry === undefined || output === undefined) return undefined;
  const ports = new Map<string, InputDef>();
  const config: Record<string, Json> = {};
  const ignored: string[] = [];
  for (const [name, value] of Object.entries(node.inputs)) {
    const def = entry.inputs.find(input => input.id === row.fields[name]);
    if (readApiLink(value) !== undefined) {
      if (def === undefined) return undefined;
      ports.set(name, def);
    } else if (!setValue(def, toOwnValue(row, name, value), config) && !isIgnorable(row, name))
      ignored.push(name);
  }
  return {
    node: createNode(id, row.nodeType, getApiTitle(node), entry.category, config),
    source: { id, port: output.id, type: output.type },
    ports,
    ...(ignored.length === 0
      ? {}
      : { message: `Values without a place in the node: ${ignored.join(', ')}.` }),
  };
}

const isIgnorable = ({ only }: PartnerRow, name: string): boolean =>
  NEUTRAL.has(name) || (only !== undefined && Object.hasOwn(only, name));

function fitsRow({ inputs }: ApiNode, { with: connected = [], only = {} }: PartnerRow): boolean {
  return (
    connected.every(name => readApiLink(inputs[name]) !== undefined) &&
    Object.entries(only).every(
      ([name, values]) =>
        values.includes(inputs[name] ?? null) || (values.includes('') && inputs[name] === undefined),
    )
  );
}

function toOwnValue({ values }: PartnerRow, name: string, value: Json): Json | undefined {
  const known = values !== undefined && Object.hasOwn(values, name) ? values[name] : undefined;
  if (known === undefined || !Object.hasOwn(known, String(value))) return value;
  return known[String(value)] ?? undefined;
}

/** Sets the value if the field takes it. undefined leaves the default. */
function setValue(def: InputDef | undefined, value: Json | undefined, config: Record<string, Json>): boolean {
  if (value === undefined) return true;
  if (def === undefined) return false;
  const own = def.enum !== undefined && typeof value === 'number' ? String(value) : value;
  const isFit =
    def.enum !== undefined
      ? typeof own === 'string' && def.enum.includes(own)
      : def.type === 'NUMBER'
        ? typeof own === 'number' && (def.min ?? own) <= own && own <= (def.max ?? own)
        : def.type === 'BOOLEAN'
          ? typeof own === 'boolean'
          : def.type === 'TEXT' && typeof own === 'string';
  if (isFit) config[def.id] = own;
  return isFit;
}
