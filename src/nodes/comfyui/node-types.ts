// Loads the table of ComfyUI's node types that ships with the service, when a graph is first read.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type NodeTypeRow, type NodeTypes, readNodeTypeRows } from '../../graph/comfyui/node-types.ts';

const FILE = join(import.meta.dirname, '../../../models/imports/comfyui-types.json');

let table: NodeTypes | undefined;

/** The types of the table: what ComfyUI's own nodes and common packs define. */
export const comfyNodeTypes: NodeTypes = {
  find(type) {
    table ??= readNodeTypeRows(JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, NodeTypeRow>);
    return table.find(type);
  },
};
