// Reads and writes a workflow at the service.

import { ApiError } from '../../sdk/src/errors.ts';
import type { Workflow } from '../../sdk/src/schemas.ts';
import type { IssueList } from '../../src/graph/issues.ts';
import type { GraphEdge, GraphNode } from '../../src/graph/types.ts';
import { api, connection, request } from '../lib/api.ts';
import type { Board } from './board.ts';
import type { RemoteBoard, SaveKind } from './saver.ts';

/** The workflow as the API returns it, with the graph types of the board. */
export interface WorkflowInfo extends Omit<Workflow, 'nodes' | 'edges' | 'secrets'> {
  /** Only the creator of the workflow receives them. */
  readonly secrets?: Readonly<Record<string, Secret>> | null;
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

/** A plain string is used only in runs that the creator starts by hand. A secret with hosts is sent only to these hosts. */
export type Secret = string | { readonly value: string; readonly hosts: readonly string[] };

export interface RemoteWorkflow extends RemoteBoard {
  readonly info: WorkflowInfo;
}

export async function readRemote(id: string, signal: AbortSignal): Promise<RemoteWorkflow> {
  return toRemote(await request<WorkflowInfo>('GET', `/workflows/${id}`, { signal }));
}

/**
 * Reads a version of a workflow for viewing. Returns the current version if the user may not read earlier versions.
 */
export async function readRemoteVersion(
  id: string,
  version: number,
  signal: AbortSignal,
): Promise<RemoteWorkflow> {
  const path = `/workflows/${id}/versions/${version}` as const;
  const [current, graph] = await Promise.all([
    readRemote(id, signal),
    api.get<Pick<WorkflowInfo, 'nodes' | 'edges'>>(path, { signal }).catch((error: unknown) => {
      if (error instanceof ApiError && error.status === 403) return {};
      throw error;
    }),
  ]);
  const info = { ...current.info, ...graph, canEdit: false };
  return { ...current, info, board: toBoard(info) };
}

interface RemoteWrite {
  readonly board: Board;
  readonly etag: string;
  /** Whether to save a board that the app of the workflow cannot use. */
  readonly mayBreakApp: boolean;
}

/**
 * Throws an ApiError with code `stale_write` if someone else has saved since `etag`, and `app_would_break` if the app of
 * the workflow cannot use the board.
 */
export async function writeRemote(
  id: string,
  { board, etag, kind, mayBreakApp }: RemoteWrite & { readonly kind: SaveKind },
  signal: AbortSignal,
): Promise<RemoteWorkflow> {
  const response = await request<WorkflowInfo>('PUT', `/workflows/${id}`, {
    body: toRequestBody(board),
    headers: { 'if-match': etag },
    query: { ...(kind === 'autosave' && { autosave: true }), ...(mayBreakApp && { breakApp: true }) },
    signal,
  });
  return toRemote(response);
}

/** Keeps all node positions, because the user chose them. */
const toRequestBody = ({ fields, nodes, edges }: Board): object => ({
  ...fields,
  nodes,
  edges,
  autoLayout: false,
});

/** Browsers limit all requests with `keepalive` of a page to 64 KiB in total. */
const MAX_EXIT_BYTES = 60 * 1024;

/** Saves in a request that continues after the page ends. A larger board is saved from its draft on the next visit. */
export function writeAtExit(id: string, { board, etag, mayBreakApp }: RemoteWrite): void {
  const body = new TextEncoder().encode(JSON.stringify(toRequestBody(board)));
  if (body.byteLength > MAX_EXIT_BYTES) return;
  fetch(`/api/v1/workflows/${id}?autosave=true${mayBreakApp ? '&breakApp=true' : ''}`, {
    method: 'PUT',
    keepalive: true,
    headers: { ...connection.headers, 'content-type': 'application/json', 'if-match': etag },
    body,
  }).catch(() => undefined);
}

/** Lints a board with everything that the service knows, such as its templates and media. */
export async function lintRemote(
  id: string,
  { nodes, edges }: Board,
  signal: AbortSignal,
): Promise<IssueList> {
  const path = `/workflows/${id}/lint` as const;
  const { issues, total } = await api.post(path, { nodes, edges }, { signal });
  return { issues, total: total ?? issues.length };
}

/** Converts a workflow of the service to a board. */
export function toBoard({ name, description, tags, nodes, edges }: Omit<WorkflowInfo, 'id'>): Board {
  return { fields: { name, description, tags }, nodes: nodes.map(withoutDims), edges };
}

function toRemote({ body, headers }: { body: WorkflowInfo; headers: Headers }): RemoteWorkflow {
  return { info: body, board: toBoard(body), etag: headers.get('etag') ?? '' };
}

// Removes `dims`, which the service computes on every read.
function withoutDims(node: GraphNode): GraphNode {
  const { dims: _, ...nodeWithoutDims } = node;
  return nodeWithoutDims as GraphNode;
}
