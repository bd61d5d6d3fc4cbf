// Finds the seed of a node, and draws new ones.
import type { Catalog, InputDef } from '../../src/graph/catalog.ts';
import type { GraphNode } from '../../src/graph/types.ts';
import type { Board } from './board.ts';
import { getPorts } from './catalog.ts';
import { findIncomingEdge } from './wiring.ts';

/** The largest seed that all models accept. */
const MAX_SEED = 2 ** 31 - 1;

export const isSeed = ({ id, type }: Pick<InputDef, 'id' | 'type'>): boolean =>
  type === 'NUMBER' && /(?:^|_)seed$/.test(id);

/** Draws a seed within the limits of the field. */
export function drawSeed({ min = 0, max = MAX_SEED }: Pick<InputDef, 'min' | 'max'>): number {
  const [first, last] = [Math.max(0, min), Math.min(MAX_SEED, max)];
  return first + Math.floor(Math.random() * (last - first + 1));
}

/** Returns different seeds, as many as the field has. */
export function drawSeeds(field: Pick<InputDef, 'min' | 'max'>, count: number): readonly number[] {
  const seeds = new Set<number>();
  for (let tries = 0; seeds.size < count && tries < count * 10; tries++) seeds.add(drawSeed(field));
  return [...seeds];
}

/** Returns the seed field of the node, unless a connection sets it. */
export function findSeedField(board: Board, catalog: Catalog, node: GraphNode): InputDef | undefined {
  const field = getPorts(catalog, node).inputs.find(input => isSeed(input) && input.wiredOnly !== true);
  const isConnected =
    field !== undefined && findIncomingEdge(board, catalog, node.id, field.id) !== undefined;
  return isConnected ? undefined : field;
}
