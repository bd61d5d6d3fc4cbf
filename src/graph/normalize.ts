// Corrects values in `data.config` whose meaning is obvious: numbers written as strings, enum values in another case.
import type { Catalog, InputDef } from './catalog.ts';
import { type IssueList, type LintIssue, MAX_ISSUES, quote, toJsonPointer } from './issues.ts';
import type { Graph, GraphNode, Json, JsonObject } from './types.ts';

/** The corrected graph, and a warning for each correction. */
export interface NormalizedGraph extends IssueList {
  readonly graph: Graph;
}

// Decimal numbers: no hex, no "Infinity", no inner spaces.
const NUMERIC = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?\s*$/i;
// A double cannot represent more digits exactly.
const MAX_DIGITS = 15;

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
]);

/** Returns the graph with corrected configs; unchanged nodes are the same objects. */
export function normalizeConfig(graph: Graph, catalog: Catalog): NormalizedGraph {
  const changes = { issues: [] as LintIssue[], total: 0 };
  const nodes = graph.nodes.map((node, index) => normalizeNode(node, index, catalog, changes));
  return changes.total === 0 ? { graph, ...changes } : { graph: { ...graph, nodes }, ...changes };
}

function normalizeNode(
  node: GraphNode,
  index: number,
  catalog: Catalog,
  changes: { readonly issues: LintIssue[]; total: number },
): GraphNode {
  const { nodeType, config } = node.data;
  if (config === undefined || catalog.find(nodeType) === undefined) return node;
  const corrections: Record<string, Json> = {};
  for (const input of catalog.ports(nodeType, config).inputs) {
    if (!Object.hasOwn(config, input.id)) continue;
    const value = config[input.id];
    const correctedValue = correctValue(input, value);
    if (correctedValue === undefined) continue;
    corrections[input.id] = correctedValue;
    changes.total++;
    if (changes.issues.length < MAX_ISSUES) {
      changes.issues.push(toWarning(node, index, input.id, value, correctedValue));
    }
  }
  if (Object.keys(corrections).length === 0) return node;
  const correctedConfig: JsonObject = { ...config, ...corrections };
  return { ...node, data: { ...node.data, config: correctedConfig } };
}

/** Returns the intended value, or undefined if the value is valid or its intention cannot be guessed. */
function correctValue(input: InputDef, value: Json | undefined): Json | undefined {
  if (typeof value !== 'string') return undefined;
  if (input.enum !== undefined) {
    if (input.enum.includes(value)) return undefined;
    const lowerCase = value.trim().toLowerCase();
    return input.enum.find(option => option.toLowerCase() === lowerCase);
  }
  if (input.type === 'BOOLEAN') return BOOLEANS.get(value.trim().toLowerCase());
  if (input.type !== 'NUMBER' || !NUMERIC.test(value)) return undefined;
  const number = Number(value);
  const digits = value.replace(/e.*/i, '').replace(/\D/g, '').length;
  return Number.isFinite(number) && digits <= MAX_DIGITS ? number : undefined;
}

function toWarning(node: GraphNode, index: number, key: string, from: Json | undefined, to: Json): LintIssue {
  return {
    severity: 'warning',
    code: 'config_normalized',
    nodeId: node.id,
    path: toJsonPointer('nodes', index, 'data', 'config', key),
    message: `config.${key} was ${quote(String(from))} and is kept as ${JSON.stringify(to)}.`,
  };
}
