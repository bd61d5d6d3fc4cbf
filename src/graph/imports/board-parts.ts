// Builds the nodes and edges of boards that are made from files of other programs.
import type { ConfigPort } from '../config-ports.ts';
import { toHandle } from '../handles.ts';
import type { Json, JsonObject, PortType } from '../types.ts';

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

/** The nodes that give values of these types, with their output. */
export const INPUT_NODES = {
  TEXT: ['input:text', 'text'],
  NUMBER: ['input:number', 'number'],
  JSON: ['input:json', 'json'],
  IMAGE: ['input:image', 'image'],
  VIDEO: ['input:video', 'video'],
  AUDIO: ['input:audio', 'audio'],
  LIST: ['input:list', 'list'],
} as const satisfies Partial<Record<PortType, readonly [nodeType: string, port: string]>>;

type InputNode = (typeof INPUT_NODES)[keyof typeof INPUT_NODES];

/** Returns the node that gives values of a type, which may be of another program. */
export const findInputNode = (type: string): InputNode | undefined =>
  Object.hasOwn(INPUT_NODES, type) ? INPUT_NODES[type as keyof typeof INPUT_NODES] : undefined;

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
