// Parses an untrusted value as a graph: rejects invalid values, drops runtime fields of the canvas, and keeps the rest.
import { type LintIssue, MAX_ISSUES, quote, toJsonPointer } from './issues.ts';
import { type Graph, type GraphEdge, type GraphNode, isObject, type UnknownObject } from './types.ts';
import { readValidParts } from './valid-parts.ts';

export type ParseResult =
  | {
      readonly ok: true;
      readonly graph: Graph;
      /** Ids of the nodes without a position. They are at the origin until they are placed. */
      readonly unplaced: ReadonlySet<string>;
    }
  | {
      readonly ok: false;
      readonly issues: readonly LintIssue[];
      /** The number of issues, including those not listed. */
      readonly total: number;
      /** The valid parts of the graph, at their original indexes, so that lint can report further problems. */
      readonly validParts: Graph;
      readonly unplaced: ReadonlySet<string>;
    };

interface IssueCollector {
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

type RequiredText = readonly [key: string, code: string, message: string];
const NODE_TEXTS: readonly RequiredText[] = [
  ['id', 'missing_node_id', 'The node needs an id, a string that no other node has.'],
  ['type', 'missing_type', 'The node needs a type: "basedNode" for most nodes.'],
];
const LABEL: RequiredText = ['label', 'missing_label', 'The node needs data.label, its display name.'];
const DATA_TEXTS: readonly RequiredText[] = [
  LABEL,
  ['category', 'missing_category', 'The node needs data.category: model, input, utility, output or logic.'],
  ['nodeType', 'missing_node_type', 'The node needs data.nodeType, one of the types in GET /nodes.'],
];
const MODEL_TEXTS: readonly RequiredText[] = [
  LABEL,
  ['nodeType', 'missing_model', 'A model node needs data.nodeType, the name of its model in GET /nodes.'],
];
const EDGE_TEXTS: readonly RequiredText[] = [
  ['id', 'missing_edge_id', 'The edge needs an id, a string that no other edge has.'],
  ['source', 'missing_source', 'The edge needs source, the id of a node.'],
  ['target', 'missing_target', 'The edge needs target, the id of a node.'],
];

/**
 * Parses `nodes` and `edges`. Unknown keys are kept, and objects are not copied. Sizes stay as React Flow stores them,
 * in `measured` (the rendered box) and `style` (a size set by resizing); `getDims` reads both.
 */
export function parseGraph(nodes: unknown, edges: unknown): ParseResult {
  const errors: IssueCollector = { issues: [], total: 0 };
  const unplaced = new Set<string>();
  const graph: Graph = {
    nodes: parseList(nodes, 'nodes', errors, (fields, report) => parseNode(fields, report, unplaced)),
    edges: parseList(edges, 'edges', errors, parseEdge),
  };
  if (errors.total === 0) return { ok: true, graph, unplaced };
  // A graph with this many errors is not linted.
  const validParts = errors.total >= MAX_ISSUES ? { nodes: [], edges: [] } : readValidParts(nodes, edges);
  return { ok: false, ...errors, validParts, unplaced };
}

function parseList<T>(
  list: unknown,
  name: 'nodes' | 'edges',
  errors: IssueCollector,
  parse: (fields: UnknownObject, report: Report) => T,
): T[] {
  if (!Array.isArray(list)) {
    errors.total++;
    errors.issues.push({
      severity: 'error',
      code: `invalid_${name}`,
      path: `/${name}`,
      message: `${name} must be an array.`,
    });
    return [];
  }
  const items: T[] = [];
  for (const [index, item] of list.entries()) {
    const report = createReporter(errors, name, index, item);
    if (isObject(item)) items.push(parse(item, report));
    else report(`invalid_${name.slice(0, -1)}`, [], `Each item of ${name} must be an object.`);
  }
  return items;
}

function createReporter(
  errors: IssueCollector,
  list: 'nodes' | 'edges',
  index: number,
  item: unknown,
): Report {
  return (code, path, message) => {
    errors.total++;
    if (errors.issues.length >= MAX_ISSUES) return;
    const id = isObject(item) && isText(item.id) ? item.id.slice(0, 200) : undefined;
    const itemId = id === undefined ? {} : list === 'nodes' ? { nodeId: id } : { edgeId: id };
    errors.issues.push({
      severity: 'error',
      code,
      ...itemId,
      path: toJsonPointer(list, index, ...path),
      message,
    });
  };
}

function parseNode(fields: UnknownObject, report: Report, unplaced: Set<string>): GraphNode {
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
    report('invalid_position', ['position'], 'position must be { x, y }, two numbers in canvas pixels.');
  }
  // Every member of GraphNode was checked above, and invalid ones were reported.
  return node as unknown as GraphNode;
}

function checkData(data: unknown, report: Report): void {
  if (!isObject(data)) {
    report('missing_data', ['data'], 'The node needs data, an object with label, category and nodeType.');
    return;
  }
  checkDepths(data, report);
  requireTexts(data, data.category === 'model' ? MODEL_TEXTS : DATA_TEXTS, ['data'], report);
  for (const key of ['config', 'params']) {
    if (data[key] === undefined || isObject(data[key])) continue;
    report(`invalid_${key}`, ['data', key], `data.${key} must be an object.`);
  }
  if (data.bypassed !== undefined && typeof data.bypassed !== 'boolean')
    report('invalid_bypassed', ['data', 'bypassed'], 'data.bypassed must be true or false.');
  checkPorts(data.inputs, 'inputs', report);
  checkPorts(data.outputs, 'outputs', report);
}

/** Checks the depth of `data` and, separately, of the scene graph inside it. */
function checkDepths(data: UnknownObject, report: Report): void {
  const props = isObject(data.config) ? data.config.props : undefined;
  const sceneGraph = isObject(props) ? props.sceneGraph : undefined;
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
    if (isObject(port) && isText(port.id)) continue;
    report('invalid_port', ['data', side, index], 'A port must be an object with an id, a label and a type.');
  }
}

function parseEdge(fields: UnknownObject, report: Report): GraphEdge {
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

/** Checks that a JSON value has a bounded depth and contains only what PostgreSQL and JSON can store. */
function checkValue(
  value: unknown,
  // One mutable path instead of copies, because a 4 MB graph can have a million values.
  path: string[],
  depthLeft: number,
  report: Report,
  isCheckedSeparately: (value: object) => boolean = () => false,
): void {
  if (typeof value === 'string') checkText(value, path, report);
  if (typeof value === 'number' && !Number.isFinite(value)) {
    report(
      'invalid_number',
      path,
      'The number cannot be stored exactly. Use fewer digits, or send it as a string.',
    );
  }
  if (typeof value !== 'object' || value === null || isCheckedSeparately(value)) return;
  if (depthLeft === 0) {
    const subject =
      path[0] === 'data' && !path.includes('sceneGraph')
        ? `data is nested more than ${MAX_DATA_DEPTH}`
        : `The value is nested more than ${MAX_DEPTH}`;
    report('too_deep', path, `${subject} levels deep. Flatten it, or store it as a JSON string.`);
    return;
  }
  const isArray = Array.isArray(value);
  for (const key of Object.keys(value)) {
    path.push(key);
    if (!isArray) checkText(key, path, report);
    checkValue((value as UnknownObject)[key], path, depthLeft - 1, report, isCheckedSeparately);
    path.pop();
  }
}

/** Checks a string or a key. A key `__proto__` would set a prototype wherever the object is copied. */
function checkText(text: string, path: JsonPath, report: Report): void {
  if (text === '__proto__' && path.at(-1) === text) {
    report('forbidden_key', path, 'A key cannot be "__proto__". Rename it.');
  } else if (text.includes('\0') || !text.isWellFormed()) {
    report('invalid_text', path, `${quote(text)} contains a NUL character or a lone surrogate. Remove it.`);
  }
}

function requireTexts(
  fields: UnknownObject,
  required: readonly RequiredText[],
  parentPath: JsonPath,
  report: Report,
): void {
  for (const [key, code, message] of required)
    if (!isText(fields[key])) report(code, [...parentPath, key], message);
}

/** Returns the object without the keys: a copy, or the object itself if it has none of these keys. */
function without(fields: UnknownObject, keys: readonly string[]): UnknownObject {
  if (!keys.some(key => Object.hasOwn(fields, key))) return fields;
  return Object.fromEntries(Object.entries(fields).filter(([key]) => !keys.includes(key)));
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isPosition(value: unknown): boolean {
  return isObject(value) && isCoordinate(value.x) && isCoordinate(value.y);
}

function isCoordinate(value: unknown): boolean {
  return typeof value === 'number' && Math.abs(value) <= MAX_COORDINATE;
}
