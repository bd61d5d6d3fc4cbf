// Reads and writes a workflow at the service.
import type { GraphEdge, GraphNode } from '../../src/graph/types.ts';
import { request } from '../lib/api.ts';
import type { Board } from './board.ts';
import type { Remote, SaveKind } from './saver.ts';

/** What pages show of a workflow in addition to its graph. */
export interface WorkflowInfo {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly tags: readonly string[];
  readonly isOwner: boolean;
  readonly isPublished: boolean;
  readonly linkPermission: string;
  readonly publishedSlug: string | null;
  readonly publishSettings: Readonly<Record<string, unknown>> | null;
  readonly updatedAt: string;
  /** Only for its creator. */
  readonly secrets?: Readonly<Record<string, Secret>> | null;
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

/** A value alone is sent only in runs of the creator; one with hosts, to those alone. */
export type Secret = string | { readonly value: string; readonly hosts: readonly string[] };

export interface RemoteWorkflow extends Remote {
  readonly info: WorkflowInfo;
}

export async function readRemote(id: string, signal: AbortSignal): Promise<RemoteWorkflow> {
  return toRemote(await request<WorkflowInfo>('GET', `/workflows/${id}`, { signal }));
}

/** Throws an ApiError with code `stale_write` if another writer has saved since `etag`. */
export async function writeRemote(
  id: string,
  { board, etag, how }: { readonly board: Board; readonly etag: string; readonly how: SaveKind },
  signal: AbortSignal,
): Promise<RemoteWorkflow> {
  const answer = await request<WorkflowInfo>('PUT', `/workflows/${id}`, {
    // Keeps all node positions, because the user chose them.
    body: { ...board.fields, nodes: board.nodes, edges: board.edges, autoLayout: false },
    headers: { 'if-match': etag },
    query: how === 'autosave' ? { autosave: true } : {},
    signal,
  });
  return toRemote(answer);
}

/** Converts a workflow of the service to a board. */
export function boardOf({ name, description, tags, nodes, edges }: Omit<WorkflowInfo, 'id'>): Board {
  return { fields: { name, description, tags }, nodes: nodes.map(withoutDims), edges };
}

function toRemote({ body, headers }: { body: WorkflowInfo; headers: Headers }): RemoteWorkflow {
  return { info: body, board: boardOf(body), etag: headers.get('etag') ?? '' };
}

// The service computes it on every read.
function withoutDims(node: GraphNode): GraphNode {
  const { dims: _, ...kept } = node;
  return kept as GraphNode;
}
