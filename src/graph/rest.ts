// Reads the valid parts of a malformed graph: each node and edge at its index, with blanks for what is wrong.
import { fieldsOf, type Graph, type GraphEdge, type GraphNode, type JsonObject, type Port } from './types.ts';

/** Placeholder for an invalid id, type or name that parseGraph has reported. */
export const BLANK = '';

const MAX_DEPTH = 32;

/** For lint only: contains just what the rules read. */
export function readRest(nodes: unknown, edges: unknown): Graph {
  return { nodes: itemsOf(nodes).map(readNode), edges: itemsOf(edges).map(readEdge) };
}

function readNode(item: unknown): GraphNode {
  const fields = fieldsOf(item);
  const data = fieldsOf(fields.data);
  return {
    id: textOf(fields.id),
    type: textOf(fields.type),
    position: { x: 0, y: 0 },
    data: {
      label: textOf(data.label),
      category: textOf(data.category),
      nodeType: textOf(data.nodeType),
      config: cut(fieldsOf(data.config), MAX_DEPTH) as JsonObject,
      params: cut(fieldsOf(data.params), MAX_DEPTH) as JsonObject,
      inputs: itemsOf(data.inputs).map(readPort),
    },
  };
}

function readPort(item: unknown): Port {
  const { id, label, type } = fieldsOf(item);
  return { id: textOf(id), label: textOf(label), type: textOf(type) };
}

function readEdge(item: unknown): GraphEdge {
  const { id, source, target, sourceHandle, targetHandle } = fieldsOf(item);
  return {
    id: textOf(id),
    source: textOf(source),
    target: textOf(target),
    sourceHandle: textOf(sourceHandle),
    targetHandle: textOf(targetHandle),
  };
}

/** The value without parts that are nested too deep for recursion. */
function cut(value: unknown, levels: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) return null;
  if (Array.isArray(value)) return value.map(item => cut(item, levels - 1));
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, cut(member, levels - 1)]));
}

function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : BLANK;
}
