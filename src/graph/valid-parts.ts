// Reads the valid parts of a malformed graph for lint: each node and edge at its index, with blanks for invalid values.
import { type Graph, type GraphEdge, type GraphNode, type JsonObject, type Port, toObject } from './types.ts';

/** Placeholder for an invalid id, type or name that parseGraph has reported. */
export const BLANK = '';

const MAX_DEPTH = 32;

/** Returns the members that the lint rules read. */
export function readValidParts(nodes: unknown, edges: unknown): Graph {
  return { nodes: toItems(nodes).map(readNode), edges: toItems(edges).map(readEdge) };
}

function readNode(item: unknown): GraphNode {
  const fields = toObject(item);
  const data = toObject(fields.data);
  return {
    id: toText(fields.id),
    type: toText(fields.type),
    position: { x: 0, y: 0 },
    data: {
      label: toText(data.label),
      category: toText(data.category),
      nodeType: toText(data.nodeType),
      config: limitDepth(toObject(data.config), MAX_DEPTH) as JsonObject,
      params: limitDepth(toObject(data.params), MAX_DEPTH) as JsonObject,
      inputs: toItems(data.inputs).map(readPort),
    },
  };
}

function readPort(item: unknown): Port {
  const { id, label, type } = toObject(item);
  return { id: toText(id), label: toText(label), type: toText(type) };
}

function readEdge(item: unknown): GraphEdge {
  const { id, source, target, sourceHandle, targetHandle } = toObject(item);
  return {
    id: toText(id),
    source: toText(source),
    target: toText(target),
    sourceHandle: toText(sourceHandle),
    targetHandle: toText(targetHandle),
  };
}

/** Returns the value with parts that are nested too deeply replaced by null. */
function limitDepth(value: unknown, levels: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) return null;
  if (Array.isArray(value)) return value.map(item => limitDepth(item, levels - 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, limitDepth(member, levels - 1)]),
  );
}

function toItems(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : BLANK;
}
