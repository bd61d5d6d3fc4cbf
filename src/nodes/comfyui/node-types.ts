// Loads the table of ComfyUI's node types that ships with the service, when a graph is first read.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PartnerTable } from '../../graph/comfyui/native-board.ts';
import { type NodeTypeRow, type NodeTypes, readNodeTypeRows } from '../../graph/comfyui/node-types.ts';

const FOLDER = join(import.meta.dirname, '../../../models/imports');

let table: NodeTypes | undefined;

/** The types of the table: what ComfyUI's own nodes and common packs define. */
export const comfyNodeTypes: NodeTypes = {
  find(type) {
    table ??= readNodeTypeRows(
      JSON.parse(readFileSync(join(FOLDER, 'comfyui-types.json'), 'utf8')) as Record<string, NodeTypeRow>,
    );
    return table.find(type);
  },
};

let partners: PartnerTable | undefined;

/** Returns the table of the nodes of ours for partner nodes. */
export function readPartnerTable(): PartnerTable {
  partners ??= JSON.parse(readFileSync(join(FOLDER, 'comfyui.json'), 'utf8')) as PartnerTable;
  return partners;
}
