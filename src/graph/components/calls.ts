// Reads the calls of components in a graph. A component is a workflow that another workflow calls as one node.
import { type Graph, type GraphNode, type Json, toFields } from '../types.ts';

export const CALL = 'component:call';

export interface ComponentCall {
  readonly nodeId: string;
  /** Empty if the node names no workflow. */
  readonly workflowId: string;
  /** `latest`: the current version when a run is accepted. */
  readonly version: number | 'latest';
  /** Values of inputs that no edge feeds, by the id of the input node. */
  readonly values: Readonly<Record<string, Json>>;
}

export const isCall = ({ data }: Pick<GraphNode, 'data'>): boolean => data.nodeType === CALL;

export function listCalls({ nodes }: Pick<Graph, 'nodes'>): readonly ComponentCall[] {
  return nodes.filter(isCall).map(readCall);
}

export function readCall({ id, data }: Pick<GraphNode, 'id' | 'data'>): ComponentCall {
  const { workflowId, version, values } = { ...data.config, ...data.params };
  return {
    nodeId: id,
    workflowId: typeof workflowId === 'string' ? workflowId : '',
    version: typeof version === 'number' && Number.isInteger(version) && version > 0 ? version : 'latest',
    values: toFields(values) as Readonly<Record<string, Json>>,
  };
}
