// Reads the calls of components in a graph. A component is a workflow that another workflow calls as one node.
import { type Graph, type GraphNode, type Json, toObject } from '../types.ts';

export const COMPONENT_CALL = 'component:call';

export interface ComponentCall {
  readonly nodeId: string;
  /** The label of the node, with which messages name the component. */
  readonly label: string;
  /** The id of the component, or empty if the node names none. */
  readonly workflowId: string;
  /** `latest` means the version that is current when a run is accepted. */
  readonly version: number | 'latest';
  /** Values of inputs that no edge feeds, by the id of the input node. */
  readonly values: Readonly<Record<string, Json>>;
}

export const isComponentCall = ({ data }: Pick<GraphNode, 'data'>): boolean =>
  data.nodeType === COMPONENT_CALL;

export function listComponentCalls({ nodes }: Pick<Graph, 'nodes'>): readonly ComponentCall[] {
  return nodes.filter(isComponentCall).map(readCall);
}

export function readCall({ id, data }: Pick<GraphNode, 'id' | 'data'>): ComponentCall {
  const { workflowId, version, values } = { ...data.config, ...data.params };
  return {
    nodeId: id,
    label: typeof data.label === 'string' && data.label !== '' ? data.label : id,
    workflowId: typeof workflowId === 'string' ? workflowId : '',
    version: typeof version === 'number' && Number.isInteger(version) && version > 0 ? version : 'latest',
    values: toObject(values) as Readonly<Record<string, Json>>,
  };
}
