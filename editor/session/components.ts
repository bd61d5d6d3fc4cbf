// Loads components, and creates, unpacks and updates calls of components.

import { type ComponentCall, readCall } from '../../src/graph/components/calls.ts';
import { ComponentError } from '../../src/graph/components/component-error.ts';
import { unpackCall } from '../../src/graph/components/expand.ts';
import { getInterface } from '../../src/graph/components/interface.ts';
import { withoutItems } from '../../src/graph/edit.ts';
import { toHandle } from '../../src/graph/handles.ts';
import type { Graph, JsonObject } from '../../src/graph/types.ts';
import { type Board, findNode } from '../board/board.ts';
import { type Extraction, extractComponent } from '../board/component.ts';
import { computeChanges } from '../board/edits.ts';
import { isEqual } from '../board/merge.ts';
import { toBoard, type WorkflowInfo } from '../board/remote.ts';
import { messages as componentMessages } from '../component-messages.ts';
import { messages } from '../flow-messages.ts';
import { api } from '../lib/api.ts';
import { UserFacingError } from '../lib/user-facing-error.ts';
import { applyVersion, getCalledComponent, readInterface } from './component-versions.ts';
import type { EditorContextValue } from './editor-context.tsx';

const { make: makeMessages } = componentMessages;
const PREVIEW_TYPE = 'output:preview';

type ComponentRef = Pick<ComponentCall, 'workflowId' | 'version'>;

/** Queries the graph of a component. A numbered version never changes. */
export const toGraphQuery = ({ workflowId, version }: ComponentRef) => ({
  queryKey: ['/workflows', workflowId, 'graph', version],
  queryFn: ({ signal }: { readonly signal: AbortSignal }) => readGraph({ workflowId, version }, signal),
  staleTime: version === 'latest' ? 0 : Number.POSITIVE_INFINITY,
});

async function readGraph({ workflowId, version }: ComponentRef, signal?: AbortSignal): Promise<Graph> {
  const path = `/workflows/${encodeURIComponent(workflowId)}`;
  const info = await api.get<WorkflowInfo>(
    version === 'latest' ? path : `${path}/versions/${version}`,
    signal === undefined ? {} : { signal },
  );
  return toBoard(info);
}

/**
 * Creates a workflow of the selected nodes in the folder of this workflow, and replaces the nodes by a call, as one undo
 * step. Returns the id of the call. If the service refuses the workflow, the board does not change.
 */
export async function makeComponent(
  { session }: Pick<EditorContextValue, 'session'>,
  ids: readonly string[],
  name: string,
): Promise<string> {
  const { store, catalog, saver } = session;
  if (session.isReadOnly) throw new UserFacingError(componentMessages.readOnly);
  const { part } = requireExtraction(store.getState().board, session.catalog, ids);
  const { id: workflowId } = await api.post('/workflows', {
    name,
    ...part,
    autoLayout: false,
  });
  try {
    const { folderId } = saver.base.info;
    // This also moves the workflow into the team of the folder.
    if (folderId) await api.put(`/workflows/${workflowId}`, { folderId });
    const extraction = requireExtraction(store.getState().board, catalog, ids);
    if (!isEqual(extraction.part, part)) throw new UserFacingError(makeMessages.changedMeanwhile);
    const ports = getInterface(part, catalog);
    const config = { workflowId, version: 1, values: {}, name, ...ports } as unknown as JsonObject;
    const { id, changes } = extraction.replace(name, config);
    store.actions.perform(messages.flow.edits.makeComponent(name), changes);
    store.actions.select([id]);
    return id;
  } catch (error) {
    await api.delete(`/workflows/${workflowId}`).catch(() => undefined);
    throw error;
  }
}

function requireExtraction(
  board: Board,
  catalog: EditorContextValue['session']['catalog'],
  ids: readonly string[],
): Extraction {
  const extraction = extractComponent(board, catalog, ids);
  if ('problem' in extraction) throw new UserFacingError(makeMessages.changedMeanwhile);
  return extraction;
}

/** Replaces the selected calls by the nodes of their components, as one undo step. Selects these nodes. */
export async function unpackSelected({ session }: Pick<EditorContextValue, 'session'>): Promise<void> {
  const { store, catalog } = session;
  const { board, selection } = store.getState();
  const calls = board.nodes.filter(node => selection.has(node.id) && getCalledComponent(node)).map(readCall);
  if (calls.length === 0) return;
  const graphs = await Promise.all(calls.map(call => readGraph(call)));
  const before = store.getState().board;
  const after = calls.reduce<Graph>((graph, { nodeId }, index) => {
    const componentGraph = graphs[index];
    return componentGraph === undefined ? graph : unpack(graph, nodeId, componentGraph, catalog);
  }, before);
  const edges = keepOrder(before.edges, after.edges);
  store.actions.perform(messages.flow.edits.unpack, computeChanges(before, { ...before, ...after, edges }));
  const known = new Set(before.nodes.map(({ id }) => id));
  store.actions.select(after.nodes.filter(({ id }) => !known.has(id)).map(({ id }) => id));
}

/**
 * Replaces the call with the nodes of its component. Previews that only provided an output of the call, and inputs that
 * had an outer connection, are removed.
 */
function unpack(
  graph: Graph,
  callId: string,
  inner: Graph,
  catalog: EditorContextValue['session']['catalog'],
): Graph {
  try {
    const unpacked = unpackCall(graph, callId, inner, catalog);
    const outgoing = new Set(
      graph.edges.filter(({ source }) => source === callId).map(({ sourceHandle }) => sourceHandle),
    );
    const previews = inner.nodes.filter(
      ({ id, data }) => data.nodeType === PREVIEW_TYPE && outgoing.has(toHandle('out', id)),
    );
    const previewData = new Set(previews.map(({ data }) => data));
    const previewIds = unpacked.nodes.filter(({ data }) => previewData.has(data)).map(({ id }) => id);
    return withoutItems(unpacked, { nodes: previewIds });
  } catch (error) {
    throw error instanceof ComponentError ? new UserFacingError(error.message) : error;
  }
}

/** Sorts `items` by their order in `before`. A new item follows its predecessor in `items`. */
function keepOrder<T extends { readonly id: string }>(
  before: readonly T[],
  items: readonly T[],
): readonly T[] {
  const positions = new Map(before.map(({ id }, index) => [id, index]));
  let position = -1;
  return items
    .map(item => {
      position = positions.get(item.id) ?? position;
      return { item, position };
    })
    .sort((a, b) => a.position - b.position)
    .map(({ item }) => item);
}

/** Makes a call use another version of its component, as one undo step. */
export async function setCallVersion(
  { session }: Pick<EditorContextValue, 'session'>,
  nodeId: string,
  version: ComponentCall['version'],
): Promise<void> {
  const node = findNode(session.store.getState().board, nodeId);
  if (node === undefined) return;
  const { workflowId } = readCall(node);
  const component = await readInterface(workflowId, version === 'latest' ? undefined : version);
  applyVersion({ session }, nodeId, { ...component, version });
}

/** Returns the config of a new call of the current version. */
export async function createCallConfig(callee: string): Promise<JsonObject & { readonly name: string }> {
  const { workflowId, version, name, inputs, outputs } = await readInterface(callee);
  return { workflowId, version, values: {}, name, inputs, outputs } as unknown as JsonObject & {
    readonly name: string;
  };
}
