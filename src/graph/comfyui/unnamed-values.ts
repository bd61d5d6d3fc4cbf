// Names the widget values of nodes whose types were unknown when their file was read.
import type { Json } from '../types.ts';
import type { ApiGraph, ApiNode } from './api-graph.ts';
import type { NodeTypes } from './node-types.ts';
import { readWidgetValues } from './widget-values.ts';

/** Returns the graph with names for the values that `_meta` has by position. Links of the graph take precedence. */
export function nameWidgetValues(graph: ApiGraph, types: NodeTypes): ApiGraph {
  const named: Record<string, ApiNode> = {};
  for (const [id, node] of Object.entries(graph)) named[id] = nameValues(node, types);
  return named;
}

function nameValues(node: ApiNode, types: NodeTypes): ApiNode {
  const values = node._meta?.widgets_values;
  const type = types.find(node.class_type);
  if (!Array.isArray(values) || type === undefined) return node;
  const { values: named } = readWidgetValues({ inputs: [] }, type, { values, pointer: '', start: 0 });
  const inputs: Record<string, Json> = {};
  for (const [name, { value }] of named) inputs[name] = Array.isArray(value) ? { __value__: value } : value;
  return { ...node, inputs: { ...inputs, ...node.inputs } };
}
