// Writes the table of ComfyUI's node types, models/imports/comfyui-types.json, from files with the response of a server's
// `/object_info`, and from graphs, whose nodes name the widgets of types that these servers lack:
// node scripts/comfyui-types.ts OBJECT_INFO.json... --graphs FOLDER
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type NodeType, type NodeTypeRow, readNodeInfo, toRow } from '../src/graph/comfyui/node-types.ts';
import { isUiGraph, readUiGraph, type UiNode } from '../src/graph/comfyui/ui-graph.ts';
import { getVirtualKind } from '../src/graph/comfyui/virtual-nodes.ts';
import { getStoredValues, readWidgetValues } from '../src/graph/comfyui/widget-values.ts';
import { isObject } from '../src/graph/types.ts';

const { values, positionals } = parseArgs({
  options: { graphs: { type: 'string' } },
  allowPositionals: true,
});
const TABLE = new URL('../models/imports/comfyui-types.json', import.meta.url);
/** Longer defaults are prompts, which are no facts about the type. */
const MAX_DEFAULT_LENGTH = 60;
/** Types of packs that a server may have besides its own. */
const UUID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;

const rows: Record<string, NodeTypeRow> = {};
if (values.graphs !== undefined)
  for (const node of listNodes(values.graphs)) {
    const type = learnType(node);
    if (type !== undefined) rows[node.type] ??= toRow(type);
  }
for (const file of positionals)
  for (const [name, info] of Object.entries(readJson(file) as Record<string, unknown>)) {
    const type = readNodeInfo(info);
    if (type !== undefined) rows[name] = toRow(withoutLongDefaults(type));
  }
const lines = Object.keys(rows)
  .sort()
  .map(name => `  ${JSON.stringify(name)}: ${JSON.stringify(rows[name])}`);
writeFileSync(TABLE, `{\n${lines.join(',\n')}\n}\n`);
print(`${lines.length} types`);

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8'));
}

function* listNodes(folder: string): Generator<UiNode> {
  for (const name of readdirSync(folder).sort()) {
    if (!name.endsWith('.json')) continue;
    const value = readJson(join(folder, name));
    if (!isUiGraph(value)) continue;
    const { nodes, subgraphs } = readUiGraph(value);
    for (const part of [{ nodes }, ...subgraphs.values()]) yield* part.nodes.values();
  }
}

/** Returns the type of a node that names all of its widgets. */
function learnType(node: UiNode): NodeType | undefined {
  if (UUID.test(node.type) || node.type.startsWith('workflow') || getVirtualKind(node.type) !== undefined)
    return undefined;
  const { values: named, controls, isUnknown } = readWidgetValues(node, undefined, getStoredValues(node));
  if (isUnknown || node.inputs.some(({ name }) => name.includes('.'))) return undefined;
  const widgets = node.inputs.flatMap(({ name, type, widget }) =>
    widget !== undefined && named.has(widget)
      ? [{ name, type, ...(controls.has(name) ? { flag: 'control' as const } : {}) }]
      : [],
  );
  return {
    widgets,
    required: [],
    outputs: node.outputs.map(({ type }) => type),
    ...(node.outputs.length === 0 ? { isOutput: true } : {}),
  };
}

function withoutLongDefaults(type: NodeType): NodeType {
  const widgets = type.widgets.map(({ default: value, ...widget }) =>
    value === undefined || (typeof value === 'string' && value.length > MAX_DEFAULT_LENGTH) || isObject(value)
      ? widget
      : { ...widget, default: value },
  );
  return { ...type, widgets };
}

function print(line: unknown): void {
  process.stdout.write(`${typeof line === 'string' ? line : JSON.stringify(line)}\n`);
}
