// Parses an untrusted value as a graph: refuses invalid forms, drops canvas runtime fields, keeps the rest.
import { type LintIssue, MAX_ISSUES, pointer, quote } from './issues.ts';
import { readRest } from './rest.ts';
import { type Fields, type Graph, type GraphEdge, type GraphNode, isFields } from './types.ts';

export type ParseResult =
  | {
      readonly ok: true;
      readonly graph: Graph;
      /** Ids of the nodes without a position; they are at the origin until they are placed. */
      readonly unplaced: ReadonlySet<string>;
    }
  | {
      readonly ok: false;
      readonly issues: readonly LintIssue[];
      /** Of all issues. */
      readonly total: number;
      /** What can be read of it, index by index, so that the lint sees everything else that is wrong. */
      readonly rest: Graph;
      readonly unplaced: ReadonlySet<string>;
    };

interface Found {
  readonly issues: LintIssue[];
  total: number;
}

type JsonPath = readonly (string | number)[];
type Report = (code: string, path: JsonPath, message: string) => void;

// `data` is level 1. A scene graph is a document of its own with its own depth limit.
const MAX_DATA_DEPTH = 10;
const MAX_DEPTH = 32;
// Far outside any canvas, yet small enough that sums of coordinates stay exact.
const MAX_COORDINATE = 1e9;
// `dims` is computed by the service; the others are runtime fields of an open canvas.
const DROPPED_NODE_KEYS = ['width', 'height', 'positionAbsolute', 'selected', 'dragging', 'dims'];
const DROPPED_EDGE_KEYS = ['selected'];

type NeededText = readonly [key: string, code: string, message: string];
const NODE_TEXTS: readonly NeededText[] = [
  ['id', 'missing_node_id', 'The node needs an id, a string that no other node has.'],
  ['type', 'missing_type', 'The node needs a type, "basedNode" for most.'],
];
const LABEL: NeededText = ['label', 'missing_label', 'The node needs data.label, its display name.'];
const DATA_TEXTS: readonly NeededText[] = [
  LABEL,
  ['category', 'missing_category', 'The node needs data.category: model, input, utility, output or logic.'],
  ['nodeType', 'missing_node_type', 'The node needs data.nodeType, one of those that GET /nodes lists.'],
];
const MODEL_TEXTS: readonly NeededText[] = [
  LABEL,
  [
    'nodeType',
    'missing_model',
    'A model node needs data.nodeType, the name of its model as GET /nodes lists it.',
  ],
];
const EDGE_TEXTS: readonly NeededText[] = [
  ['id', 'missing_edge_id', 'The edge needs an id, a string that no other edge has.'],
  ['source', 'missing_source', 'The edge needs source, the id of a node.'],
  ['target', 'missing_target', 'The edge needs target, the id of a node.'],
];

/**
 * Reads `nodes` and `edges`. Unknown keys are kept, and everything kept is the original object. Sizes are kept as React
 * Flow stores them: `measured` (the rendered box) and `style` (a size set by resizing); `estimateDims` reads both.
 */
export function parseGraph(nodes: unknown, edges: unknown): ParseResult {
  const found: Found = { issues: [], total: 0 };
  const unplaced = new Set<string>();
  const graph: Graph = {
    nodes: parseList(nodes, 'nodes', found, (fields, report) => parseNode(fields, report, unplaced)),
    edges: parseList(edges, 'edges', found, parseEdge),
  };
  if (found.total === 0) return { ok: true, graph, unplaced };
  // Nothing more is looked for in a graph that has so many errors already.
  const rest = found.total >= MAX_ISSUES ? { nodes: [], edges: [] } : readRest(nodes, edges);
  return { ok: false, ...found, rest, unplaced };
}

function parseList<T>(
  list: unknown,
  name: 'nodes' | 'edges',
  found: Found,
  parse: (fields: Fields, report: Report) => T,
): T[] {
  if (!Array.isArray(list)) {
    found.total++;
    found.issues.push({
      severity: 'error',
      code: `invalid_${name}`,
      path: `/${name}`,
      message: `${name} must be an array.`,
    });
    return [];
  }
  const parsed: T[] = [];
  for (const [index, item] of list.entries()) {
    const report = reporter(found, name, index, item);
    if (isFields(item)) parsed.push(parse(item, report));
    else report(`invalid_${name.slice(0, -1)}`, [], `Each of ${name} must be an object.`);
  }
  return parsed;
}

function reporter(found: Found, list: 'nodes' | 'edges', index: number, item: unknown): Report {
  return (code, path, message) => {
    found.total++;
    if (found.issues.length >= MAX_ISSUES) return;
    const id = isFields(item) && isText(item.id) ? item.id.slice(0, 200) : undefined;
    const named = id === undefined ? {} : list === 'nodes' ? { nodeId: id } : { edgeId: id };
    found.issues.push({ severity: 'error', code, ...named, path: pointer(list, index, ...path), message });
  };
}

function parseNode(fields: Fields, report: Report, unplaced: Set<string>): GraphNode {
  const node = without(fields, DROPPED_NODE_KEYS);
  for (const key of Object.keys(node)) {
    checkText(key, [key], report);
    if (key !== 'data') checkValue(node[key], [key], MAX_DEPTH, report);
  }
  requireTexts(node, NODE_TEXTS, [], report);
  checkData(node.data, report);
  if (node.position === undefined || node.position === null) {
    if (isText(node.id)) unplaced.add(node.id);
    return { ...node, position: { x: 0, y: 0 } } as unknown as GraphNode;
  }
  if (!isPosition(node.position)) {
    report('invalid_position', ['position'], 'position must be { x, y }, two numbers of canvas coordinates.');
  }
  // Every member of GraphNode has been checked above; a wrong one has reported an error.
  return node as unknown as GraphNode;
}

function checkData(data: unknown, report: Report): void {
  if (!isFields(data)) {
    report('missing_data', ['data'], 'The node needs data, an object with label, category and nodeType.');
    return;
  }
  checkDepths(data, report);
  requireTexts(data, data.category === 'model' ? MODEL_TEXTS : DATA_TEXTS, ['data'], report);
  for (const key of ['config', 'params']) {
    if (data[key] === undefined || isFields(data[key])) continue;
    report(`invalid_${key}`, ['data', key], `data.${key} must be an object.`);
  }
  checkPorts(data.inputs, 'inputs', report);
  checkPorts(data.outputs, 'outputs', report);
}

/** Checks the depth of `data`, and of the scene graph inside it separately. */
function checkDepths(data: Fields, report: Report): void {
  const props = isFields(data.config) ? data.config.props : undefined;
  const sceneGraph = isFields(props) ? props.sceneGraph : undefined;
  const isScene = (value: object): boolean => value === sceneGraph;
  checkValue(data, ['data'], MAX_DATA_DEPTH, report, isScene);
  if (sceneGraph !== undefined) {
    checkValue(sceneGraph, ['data', 'config', 'props', 'sceneGraph'], MAX_DEPTH, report);
  }
}

function checkPorts(ports: unknown, side: 'inputs' | 'outputs', report: Report): void {
  if (ports === undefined) return;
  if (!Array.isArray(ports)) {
    report('invalid_ports', ['data', side], `data.${side} must be an array of ports { id, label, type }.`);
    return;
  }
  for (const [index, port] of ports.entries()) {
    if (isFields(port) && isText(port.id)) continue;
    report('invalid_port', ['data', side, index], 'A port must be an object with an id, a label and a type.');
  }
}

function parseEdge(fields: Fields, report: Report): GraphEdge {
  const edge = without(fields, DROPPED_EDGE_KEYS);
  for (const key of Object.keys(edge)) {
    checkText(key, [key], report);
    checkValue(edge[key], [key], MAX_DEPTH, report);
  }
  requireTexts(edge, EDGE_TEXTS, [], report);
  for (const key of ['sourceHandle', 'targetHandle']) {
    if (edge[key] === undefined || edge[key] === null || typeof edge[key] === 'string') continue;
    const prefix = key === 'sourceHandle' ? 'out' : 'in';
    report('invalid_handle', [key], `${key} must be a string such as "${prefix}-image".`);
  }
  return edge as unknown as GraphEdge;
}

/** Checks a JSON value: bounded depth, and only what PostgreSQL and JSON can store and return. */
function checkValue(
  value: unknown,
  // One path that is pushed and popped, since a 4 MB graph has a million locations and few of them are wrong.
  path: string[],
  depthLeft: number,
  report: Report,
  isElsewhere: (value: object) => boolean = () => false,
): void {
  if (typeof value === 'string') checkText(value, path, report);
  if (typeof value === 'number' && !Number.isFinite(value)) {
    report(
      'invalid_number',
      path,
      'The number cannot be kept as it was sent; write it with fewer digits, or as a text.',
    );
  }
  if (typeof value !== 'object' || value === null || isElsewhere(value)) return;
  if (depthLeft === 0) {
    const what =
      path[0] === 'data' && !path.includes('sceneGraph')
        ? `data is nested over ${MAX_DATA_DEPTH}`
        : `This is nested over ${MAX_DEPTH}`;
    report('too_deep', path, `${what} levels deep; flatten it, or keep it as a JSON text.`);
    return;
  }
  const isArray = Array.isArray(value);
  for (const key of Object.keys(value)) {
    path.push(key);
    if (!isArray) checkText(key, path, report);
    checkValue((value as Fields)[key], path, depthLeft - 1, report, isElsewhere);
    path.pop();
  }
}

/** A string or a key. `__proto__` as a key would set a prototype wherever the object is copied. */
function checkText(text: string, path: JsonPath, report: Report): void {
  if (text === '__proto__' && path.at(-1) === text) {
    report('forbidden_key', path, 'A key may not be "__proto__".');
  } else if (text.includes('\0') || !text.isWellFormed()) {
    report(
      'invalid_text',
      path,
      `${quote(text)} holds a NUL or half a character (a lone surrogate); remove it.`,
    );
  }
}

function requireTexts(fields: Fields, needed: readonly NeededText[], at: JsonPath, report: Report): void {
  for (const [key, code, message] of needed) if (!isText(fields[key])) report(code, [...at, key], message);
}

/** The object itself if it has none of the keys, else a copy without them. */
function without(fields: Fields, keys: readonly string[]): Fields {
  if (!keys.some(key => Object.hasOwn(fields, key))) return fields;
  return Object.fromEntries(Object.entries(fields).filter(([key]) => !keys.includes(key)));
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isPosition(value: unknown): boolean {
  return isFields(value) && isCoordinate(value.x) && isCoordinate(value.y);
}

function isCoordinate(value: unknown): boolean {
  return typeof value === 'number' && Math.abs(value) <= MAX_COORDINATE;
}
