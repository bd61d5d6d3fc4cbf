// Builds the nodes and edges of boards that are made from files of other programs.
import type { ConfigPort } from '../config-ports.ts';
import { toHandle } from '../handles.ts';
import type { Json, JsonObject } from '../types.ts';

/** A line of the report about an import: what became of a node of the file. */
export interface ImportedNode {
  readonly source: string;
  readonly sourceType: string;
  readonly outcome: 'mapped' | 'wrapped' | 'kept' | 'dropped';
  /** The node of the board that it became, or is a part of. */
  readonly nodeId?: string;
  readonly message?: string;
}

export interface ImportedBoard {
  readonly nodes: readonly JsonObject[];
  readonly edges: readonly JsonObject[];
  readonly lines: readonly ImportedNode[];
}

export const createNode = (
  id: string,
  nodeType: string,
  label: string,
  category: string,
  config: JsonObject,
  type = 'basedNode',
): JsonObject => ({ id, type, position: { x: 0, y: 0 }, data: { label, category, nodeType, config } });

export const createEdge = (source: string, from: string, target: string, to: string): JsonObject => ({
  id: `${source}-${from}-${target}-${to}`,
  source,
  target,
  sourceHandle: toHandle('out', from),
  targetHandle: toHandle('in', to),
});

/** A port of a kept node. */
export interface KeptPort extends ConfigPort {
  readonly label: string;
}

/** Creates the node for a node of the file that cannot run here, with its JSON. */
export const createKeptNode = (
  id: string,
  label: string,
  {
    sourceType,
    original,
    inputs,
    outputs,
  }: {
    readonly sourceType: string;
    readonly original: Json;
    readonly inputs: readonly KeptPort[];
    readonly outputs: readonly KeptPort[];
  },
): JsonObject =>
  createNode(id, 'import:unknown', label, 'utility', {
    sourceType,
    // As text, because it may be nested more deeply than a config may be.
    original: JSON.stringify(original),
    inputs: inputs as unknown as Json,
    outputs: outputs as unknown as Json,
  });
