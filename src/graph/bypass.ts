// Defines what bypassed nodes do: they do not run, and each of their outputs passes on the value of an input that fits.
import { canFeed, type InputDef, type OutputDef } from './catalog.ts';
import type { EdgeEnds } from './handles.ts';
import type { GraphNode, NodeData } from './types.ts';

/** Returns whether runs skip the node and pass its inputs on. */
export const isBypassed = ({ data }: Pick<GraphNode, 'data'>): boolean => data.bypassed === true;

/** Returns the node with the mark, or the node itself if it is marked so already. */
export function withBypass<Node extends { readonly data: NodeData }>(node: Node, bypassed: boolean): Node {
  if ((node.data.bypassed === true) === bypassed) return node;
  const { bypassed: _, ...data } = node.data;
  return { ...node, data: bypassed ? { ...data, bypassed } : data };
}

/**
 * Returns which input an output passes on while its node is bypassed: the first connected one of the same type, or else
 * the first whose values the output could have. An input that collects several values passes nothing.
 */
export function findPassingInput(
  { type }: Pick<OutputDef, 'type'>,
  inputs: readonly InputDef[],
  countConnections: (input: InputDef) => number,
): InputDef | undefined {
  const getType = (input: InputDef) => input.itemType ?? input.type;
  const connected = inputs.filter(input => input.isPort && countConnections(input) > 0);
  const input =
    connected.find(input => getType(input) === type) ??
    connected.find(input => canFeed(getType(input), type));
  const isList = input?.type === 'LIST' && countConnections(input) > 1;
  return isList ? undefined : input;
}

/** An edge with its ports. */
interface Wire {
  readonly edge: EdgeEnds;
  readonly from: OutputDef;
  readonly to: InputDef;
}

/**
 * Returns a function that finds the wire whose source feeds the target of a wire in a run: the wire itself, or if its
 * source is bypassed, the wire that feeds the passing input. Returns undefined if nothing passes. `findInputs` returns the
 * inputs of bypassed nodes.
 */
export function createOriginFinder<W extends Wire>(
  wires: readonly W[],
  findInputs: (nodeId: string) => readonly InputDef[] | undefined,
): (wire: W) => W | undefined {
  const feeds = new Map<string, W[]>();
  for (const wire of wires) {
    if (findInputs(wire.edge.target) === undefined) continue;
    const key = toKey(wire.edge.target, wire.to.id);
    const sameInput = feeds.get(key);
    if (sameInput === undefined) feeds.set(key, [wire]);
    else sameInput.push(wire);
  }
  /** Returns the wire that feeds the value of a bypassed output. */
  const findFeed = ({ edge: { source }, from }: W, inputs: readonly InputDef[]): W | undefined => {
    const getFeeds = ({ id }: InputDef) => feeds.get(toKey(source, id)) ?? [];
    const input = findPassingInput(from, inputs, input => getFeeds(input).length);
    // As in a run, the last of several edges of a single-value port counts.
    return input && getFeeds(input).at(-1);
  };
  const origins = new Map<string, W | undefined>();
  return wire => {
    const visitedKeys: string[] = [];
    let origin: W | undefined = wire;
    while (origin !== undefined) {
      const inputs = findInputs(origin.edge.source);
      if (inputs === undefined) break;
      const key = toKey(origin.edge.source, origin.from.id);
      if (origins.has(key)) {
        origin = origins.get(key);
        break;
      }
      // Bypassed nodes that form a cycle pass nothing.
      origins.set(key, undefined);
      visitedKeys.push(key);
      origin = findFeed(origin, inputs);
    }
    for (const key of visitedKeys) origins.set(key, origin);
    return origin;
  };
}

const toKey = (nodeId: string, port: string): string => `${nodeId}\0${port}`;
