// Reads a file of ComfyUI into a node. The service converts it, and suggests inputs and outputs.
import type { Json, JsonObject } from '../../../../src/graph/types.ts';
import { findNode } from '../../../board/board.ts';
import type { OpenBoard } from '../../../board/open-board.ts';
import { api } from '../../../lib/api.ts';
import { readForeignFile } from '../../../lib/foreign-file.ts';
import { UserFacingError } from '../../../lib/user-facing-error.ts';
import { messages } from './messages.ts';
import { keepPorts, setComfyConfig } from './port-edits.ts';

/** The part of a file that is used: pasted text has no other. */
export type GraphSource = File | string;

/** Sets the graph of the node, as one undo step. Throws for other files, and the error of the service for malformed ones. */
export async function loadGraph(session: OpenBoard, nodeId: string, source: GraphSource): Promise<void> {
  const name = typeof source === 'string' ? messages.clipboard : source.name;
  const text = typeof source === 'string' ? source : await readForeignFile(source);
  const config = text === undefined ? undefined : await convert(text);
  if (config === undefined) throw new UserFacingError(messages.noGraph(name));
  const { board } = session.store.getState();
  const before = findNode(board, nodeId)?.data.config;
  if (before === undefined && findNode(board, nodeId) === undefined) return;
  const { graph, source: file, seeds } = config;
  const ports = keepPorts(before ?? {}, config) as unknown as Readonly<Record<'inputs' | 'outputs', Json>>;
  const changes = setComfyConfig(board, nodeId, { graph, source: file, seeds, ...ports });
  session.store.actions.perform(messages.load, changes);
}

/** Returns the config of the node that the service makes of the file, or undefined if it makes none. */
async function convert(source: string): Promise<JsonObject | undefined> {
  const imported = await api.post('/workflows/import', { source, name: 'ComfyUI', dryRun: true });
  if (!('report' in imported)) return undefined;
  const node = imported.workflow.nodes.find(({ data }) => data.nodeType === 'comfyui:workflow');
  return node?.data.config as JsonObject | undefined;
}
