// Makes a call use another version of its component, as changes of the board.

import type { Catalog, InputDef } from '../../src/graph/catalog.ts';
import type { ComponentInterface } from '../../src/graph/components/interface.ts';
import { type ComponentPort, getCallPorts } from '../../src/graph/config-ports.ts';
import { toPortId } from '../../src/graph/handles.ts';
import { type GraphEdge, type JsonObject, toObject } from '../../src/graph/types.ts';
import { apply, type Board, type Change, findNode } from './board.ts';
import { getPorts } from './catalog.ts';
import { remove, replaceNodes } from './edits.ts';
import { fits } from './wiring.ts';

/** A version of a component with the ports of its calls. */
export interface ComponentVersion extends ComponentInterface {
  readonly workflowId: string;
  readonly name: string;
  readonly version: number;
}

/** The version that a call is to use: a number, or `latest` to follow the newest version. */
export type CallTarget = Omit<ComponentVersion, 'workflowId' | 'version'> & {
  readonly version: number | 'latest';
};

/** A port that differs between two versions. `before` is absent for a new port, `after` for a removed one. */
export interface PortChange {
  readonly side: 'input' | 'output';
  readonly before?: TypedPort;
  readonly after?: TypedPort;
}

type TypedPort = Pick<InputDef, 'id' | 'label' | 'type'>;
interface Ports {
  readonly inputs: readonly TypedPort[];
  readonly outputs: readonly TypedPort[];
}

/** Lists the ports that differ: first the inputs, then the outputs, each with the removed ones first. */
export function comparePorts(before: Ports, after: Ports): readonly PortChange[] {
  return [
    ...compareSide('input', before.inputs, after.inputs),
    ...compareSide('output', before.outputs, after.outputs),
  ];
}

function compareSide(
  side: PortChange['side'],
  before: readonly TypedPort[],
  after: readonly TypedPort[],
): readonly PortChange[] {
  const newPorts = new Map(after.map(port => [port.id, port]));
  const oldIds = new Set(before.map(({ id }) => id));
  const removed = before
    .filter(({ id }) => !newPorts.has(id))
    .map((port): PortChange => ({ side, before: port }));
  const changed = before.flatMap((port): PortChange[] => {
    const newPort = newPorts.get(port.id);
    const isSame = newPort === undefined || (newPort.label === port.label && newPort.type === port.type);
    return isSame ? [] : [{ side, before: port, after: newPort }];
  });
  const added = after.filter(({ id }) => !oldIds.has(id)).map((port): PortChange => ({ side, after: port }));
  return [...removed, ...changed, ...added];
}

/** The service does not store the name of an input in calls. */
const toStoredPort = ({ id, label, type, required }: ComponentPort): ComponentPort => ({
  id,
  label,
  type,
  ...(required === undefined ? {} : { required }),
});

export interface CallUpdate {
  readonly changes: readonly Change[];
  readonly ports: readonly PortChange[];
  /** Number of connections without a fitting port in the new version. The changes remove these connections. */
  readonly lostEdges: number;
}

/**
 * Makes a call use another version. Removes connections whose port was removed or no longer fits, because the service
 * refuses a graph with such connections. Also removes the values of removed inputs.
 */
export function updateCall(
  board: Board,
  catalog: Catalog,
  nodeId: string,
  { version, name, inputs, outputs }: CallTarget,
): CallUpdate {
  const ids = new Set(inputs.map(({ id }) => id));
  const before = getCallPorts(findNode(board, nodeId)?.data.config ?? {});
  const updates = replaceNodes(board, [nodeId], node => {
    const values = Object.entries(toObject(node.data.config?.values)).filter(([id]) => ids.has(id));
    const config = {
      ...node.data.config,
      version,
      name,
      inputs: inputs.map(toStoredPort),
      outputs,
      values: Object.fromEntries(values),
    };
    return { ...node, data: { ...node.data, config: config as unknown as JsonObject } };
  });
  const unfitEdges = board.edges.filter(
    edge => !fitsInterface(board, catalog, nodeId, { inputs, outputs }, edge),
  );
  const removals = remove(apply(board, updates), { edges: unfitEdges.map(({ id }) => id) });
  return {
    changes: [...updates, ...removals],
    ports: comparePorts(before, { inputs, outputs }),
    lostEdges: unfitEdges.length,
  };
}

/** Returns whether the edge stays valid if the call gets these ports. Edges without handles use any port that fits. */
function fitsInterface(
  board: Board,
  catalog: Catalog,
  callId: string,
  ports: Ports,
  { source, target, sourceHandle, targetHandle }: GraphEdge,
): boolean {
  if ((source !== callId && target !== callId) || !sourceHandle || !targetHandle) return true;
  const findPorts = (id: string): Ports | undefined => {
    if (id === callId) return ports;
    const node = findNode(board, id);
    return node && getPorts(catalog, node);
  };
  const from = findPort(findPorts(source)?.outputs, sourceHandle);
  const to = findPort(findPorts(target)?.inputs, targetHandle);
  // If the other node lacks the port, the edge was invalid before the update, too.
  if (from === undefined) return source !== callId;
  return to === undefined ? target !== callId : fits(from, to);
}

const findPort = (ports: readonly TypedPort[] | undefined, handle: string): TypedPort | undefined =>
  ports?.find(({ id }) => id === toPortId(handle));
