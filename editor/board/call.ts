// Reads and changes nodes that call a component.
import { type ComponentPortConfig, getComponentPorts } from '../../src/graph/config-ports.ts';
import { type GraphNode, type Json, type JsonObject, toFields } from '../../src/graph/types.ts';
import type { Board, Change } from './board.ts';
import { replaceNodes } from './edits.ts';

export const CALL_TYPE = 'component:call';

/** The config of a call. The service writes the name and the ports at each save. */
export interface Call {
  readonly workflowId: string;
  readonly version: number | 'latest';
  readonly values: JsonObject;
  readonly name: string;
  readonly inputs: readonly ComponentPortConfig[];
  readonly outputs: readonly ComponentPortConfig[];
}

/** Returns the call of a node; undefined for nodes that call no component. */
export function readCall({ data }: GraphNode): Call | undefined {
  const { workflowId, version, values, name, inputs, outputs } = data.config ?? {};
  if (data.nodeType !== CALL_TYPE) return undefined;
  return {
    workflowId: typeof workflowId === 'string' ? workflowId : '',
    version: typeof version === 'number' ? version : 'latest',
    values: toFields(values) as JsonObject,
    name: typeof name === 'string' ? name : '',
    inputs: getComponentPorts(inputs),
    outputs: getComponentPorts(outputs),
  };
}

/** Types that are shown first, because a picture says most. */
const PICTURES: ReadonlySet<string> = new Set(['IMAGE', 'VIDEO']);

/** Returns the output whose result the node shows: the chosen one, or the first picture, or the first. */
export function getShownOutput(node: GraphNode): string | undefined {
  const outputs = readCall(node)?.outputs ?? [];
  const shown = outputs.find(({ id }) => id === node.data.shownOutput);
  return (shown ?? outputs.find(({ type }) => PICTURES.has(type)) ?? outputs[0])?.id;
}

/** Chooses the output whose result the node shows. */
export const setShownOutput = (board: Board, nodeId: string, shownOutput: string): readonly Change[] =>
  replaceNodes(board, [nodeId], node => ({ ...node, data: { ...node.data, shownOutput } }));

/** Sets the value of an input that no edge feeds. `undefined` restores the value in the component. */
export const setCallValue = (
  board: Board,
  nodeId: string,
  inputId: string,
  value: Json | undefined,
): readonly Change[] =>
  changeConfig(board, nodeId, config => {
    const { [inputId]: _, ...values } = toFields(config.values) as JsonObject;
    return { ...config, values: value === undefined ? values : { ...values, [inputId]: value } };
  });

/** Moves a call to another version, with the ports of that version. Edges to ports that are gone stay, marked. */
export const setCallVersion = (
  board: Board,
  nodeId: string,
  { version, inputs, outputs }: Pick<Call, 'version' | 'inputs' | 'outputs'>,
): readonly Change[] =>
  changeConfig(board, nodeId, config => ({
    ...config,
    version,
    inputs: inputs as unknown as Json,
    outputs: outputs as unknown as Json,
  }));

function changeConfig(
  board: Board,
  nodeId: string,
  change: (config: JsonObject) => JsonObject,
): readonly Change[] {
  return replaceNodes(board, [nodeId], node => ({
    ...node,
    data: { ...node.data, config: change(node.data.config ?? {}) },
  }));
}
