// Draws the seeds of a ComfyUI graph for a run.
import { createHash } from 'node:crypto';
import type { ApiGraph, ApiNode } from '../../graph/comfyui/api-graph.ts';
import type { NodeTypes } from '../../graph/comfyui/node-types.ts';
import { isObject, type Json } from '../../graph/types.ts';
import type { DrawnSeed } from '../define.ts';

const SEED_NAMES: ReadonlySet<string> = new Set(['seed', 'noise_seed']);
const SEED_BITS = 53;

/**
 * Draws a seed from 0 to 2^53 - 1 for each seed of the graph that is not fixed. The same key gives the same seeds, so that
 * a call that continues after a wait reports the seeds with which it was submitted.
 */
export function drawSeeds(graph: ApiGraph, types: NodeTypes, key: string): readonly DrawnSeed[] {
  return Object.entries(graph).flatMap(([id, node]) =>
    Object.entries(node.inputs)
      .filter(([name, value]) => isSeed(node, name, value, types))
      .map(([input]) => ({ node: id, input, value: draw(`${key} ${id} ${input}`) })),
  );
}

function isSeed({ class_type, _meta }: ApiNode, name: string, value: Json, types: NodeTypes): boolean {
  if (typeof value !== 'number') return false;
  const control = isObject(_meta?.control) ? _meta.control[name] : undefined;
  if (control !== undefined) return control !== 'fixed';
  const widget = types.find(class_type)?.widgets.find(candidate => candidate.name === name);
  return widget === undefined ? SEED_NAMES.has(name) : widget.flag === 'control' && widget.type === 'INT';
}

const draw = (text: string): number =>
  Number(createHash('sha256').update(text).digest().readBigUInt64BE() >> BigInt(64 - SEED_BITS));
