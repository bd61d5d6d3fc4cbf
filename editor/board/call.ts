// Reads and changes nodes that call a component.
import type { OutputDef } from '../../src/graph/catalog.ts';
import { getCallPorts } from '../../src/graph/config-ports.ts';
import { type GraphNode, type Json, type JsonObject, toObject } from '../../src/graph/types.ts';
import type { Board, Change } from './board.ts';
import { replaceNodes } from './edits.ts';

/** Returns the name of the component that a node calls, as the service wrote it at the last save. */
export function getComponentName({ data }: Pick<GraphNode, 'data'>): string {
  const name = data.config?.name;
  return typeof name === 'string' ? name : '';
}

export const isVisualPort = ({ type }: { readonly type: string }): boolean =>
  type === 'IMAGE' || type === 'VIDEO';

/** Returns the output whose result the node shows: the chosen one, or the first visual one, or the first. */
export function getShownOutput(node: GraphNode): OutputDef | undefined {
  const { outputs } = getCallPorts(node.data.config ?? {});
  const shown = outputs.find(({ id }) => id === node.data.shownOutput);
  return shown ?? outputs.find(isVisualPort) ?? outputs[0];
}

/** Chooses the output whose result the node shows. */
export const setShownOutput = (board: Board, nodeId: string, shownOutput: string): readonly Change[] =>
  replaceNodes(board, [nodeId], node => ({ ...node, data: { ...node.data, shownOutput } }));

/** Sets the value of an input without a connection. `undefined` restores the component's own value. */
export const setCallValue = (
  board: Board,
  nodeId: string,
  inputId: string,
  value: Json | undefined,
): readonly Change[] =>
  replaceNodes(board, [nodeId], node => {
    const { [inputId]: _, ...others } = toObject(node.data.config?.values) as JsonObject;
    const values = value === undefined ? others : { ...others, [inputId]: value };
    return { ...node, data: { ...node.data, config: { ...node.data.config, values } } };
  });
