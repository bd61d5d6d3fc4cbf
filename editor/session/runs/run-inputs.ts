// Applies the inputs of a run to the input nodes of the board, as one undo step.
import { getMediaInputKind, isInputNode } from '../../../src/graph/input-nodes.ts';
import type { Graph, GraphNode, Json, JsonObject } from '../../../src/graph/types.ts';
import type { Board, Change } from '../../board/board.ts';
import { replaceNodes } from '../../board/edits.ts';
import { isEqual } from '../../board/merge.ts';
import { messages } from '../../flow-messages.ts';
import { showError } from '../../kit/failure.tsx';
import { api } from '../../lib/api.ts';
import { showToast } from '../../lib/toasts.ts';
import { useEditor } from '../editor-context.tsx';
import { performWithToast } from '../undo-toast.ts';

const runsMessages = messages.flow.runs;

export function useApplyInputs(): (executionId: string) => Promise<void> {
  const { session } = useEditor();
  return async executionId => {
    try {
      const changes = await createInputChanges(() => session.store.getState().board, executionId);
      const edit = { label: messages.flow.edits.inputs, changes, text: runsMessages.usedInputs };
      if (changes.length === 0) showToast(runsMessages.sameInputs);
      else performWithToast(session, edit);
    } catch (error) {
      showError(error);
    }
  };
}

/** Reads the inputs of the run, and then returns the changes that set each input node of the board to its value. */
export async function createInputChanges(
  getBoard: () => Board,
  executionId: string,
): Promise<readonly Change[]> {
  const path = `/executions/${executionId}` as const;
  const [{ inputs }, graph] = await Promise.all([api.get(path), api.get<Graph>(`${path}/workflow`)]);
  const board = getBoard();
  const nodesInRun = new Map(graph.nodes.map(node => [node.id, node]));
  const inputNodes = board.nodes.filter(node => isInputNode(node) && nodesInRun.has(node.id));
  return replaceNodes(
    board,
    inputNodes.map(({ id }) => id),
    node => {
      const config = toConfig(nodesInRun.get(node.id), inputs[node.id] as Json | undefined);
      return isEqual(config, node.data.config ?? {}) ? node : { ...node, data: { ...node.data, config } };
    },
  );
}

/** Returns the config of an input node in the run, including an input that was sent with the run request. */
function toConfig(node: GraphNode | undefined, input: Json | undefined): JsonObject {
  const config = node?.data.config ?? {};
  if (input === undefined) return config;
  const { items: _, ...rest } = config;
  if (Array.isArray(input)) return { ...rest, items: input as readonly Json[] };
  if (getMediaInputKind(node?.data.nodeType ?? '') === undefined) return { ...rest, value: input };
  const { url: _url, mediaId: _mediaId, ...others } = rest;
  return { ...others, ...(typeof input === 'string' ? { url: input } : (input as JsonObject)) };
}
