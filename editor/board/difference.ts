// Compares two states of a board: which nodes were added, removed, changed, or only moved.
import type { Catalog } from '../../src/graph/catalog.ts';
import type { GraphEdge, GraphNode } from '../../src/graph/types.ts';
import type { Board } from './board.ts';
import { isEqual } from './merge.ts';

export type DiffStatus = 'added' | 'changed' | 'moved';

export interface Difference {
  /** By node id, for nodes of the newer state. */
  readonly statuses: ReadonlyMap<string, DiffStatus>;
  readonly removed: readonly GraphNode[];
  /** Numbers of added and removed edges. */
  readonly edges: { readonly added: number; readonly removed: number };
}

type BoardGraph = Pick<Board, 'nodes' | 'edges'>;

export function compareBoards(before: BoardGraph, after: BoardGraph): Difference {
  const nodesBefore = new Map(before.nodes.map(node => [node.id, node]));
  const idsAfter = new Set(after.nodes.map(({ id }) => id));
  const statuses = after.nodes.flatMap((node): (readonly [string, DiffStatus])[] => {
    const status = getStatus(nodesBefore.get(node.id), node);
    return status === undefined ? [] : [[node.id, status]];
  });
  return {
    statuses: new Map(statuses),
    removed: before.nodes.filter(({ id }) => !idsAfter.has(id)),
    edges: { added: countNew(before.edges, after.edges), removed: countNew(after.edges, before.edges) },
  };
}

/** Compares two states of a node. Ignores values that the service or the browser computes. */
function getStatus(before: GraphNode | undefined, after: GraphNode): DiffStatus | undefined {
  if (before === undefined) return 'added';
  if (!isEqual(dropLayout(before), dropLayout(after))) return 'changed';
  return isEqual(before.position, after.position) ? undefined : 'moved';
}

function dropLayout({ position: _, dims: _dims, measured: _measured, ...content }: GraphNode): object {
  return content;
}

function countNew(before: readonly GraphEdge[], after: readonly GraphEdge[]): number {
  const existing = new Set(before.map(toEdgeKey));
  return after.filter(edge => !existing.has(toEdgeKey(edge))).length;
}

const toEdgeKey = ({ source, target, sourceHandle, targetHandle }: GraphEdge): string =>
  JSON.stringify([source, sourceHandle ?? null, target, targetHandle ?? null]);

/** The data for the summary of a version. */
export interface ChangeSummary {
  readonly added: number;
  readonly removed: number;
  readonly moved: number;
  readonly edges: number;
  /** Changed settings with the label of their node. */
  readonly settings: readonly { readonly setting: string; readonly label: string }[];
}

export function summarizeChanges(before: BoardGraph, after: BoardGraph, catalog: Catalog): ChangeSummary {
  const { statuses, removed, edges } = compareBoards(before, after);
  const nodesBefore = new Map(before.nodes.map(node => [node.id, node]));
  const counts = Map.groupBy(statuses.values(), status => status);
  return {
    added: counts.get('added')?.length ?? 0,
    removed: removed.length,
    moved: counts.get('moved')?.length ?? 0,
    edges: edges.added + edges.removed,
    settings: after.nodes
      .filter(({ id }) => statuses.get(id) === 'changed')
      .flatMap(node => listChangedSettings(nodesBefore.get(node.id), node, catalog)),
  };
}

function listChangedSettings(
  before: GraphNode | undefined,
  { data }: GraphNode,
  catalog: Catalog,
): readonly { readonly setting: string; readonly label: string }[] {
  const [configBefore, configAfter] = [before?.data.config ?? {}, data.config ?? {}];
  const { inputs } = catalog.ports(data.nodeType, configAfter);
  const getSettingLabel = (key: string): string => inputs.find(({ id }) => id === key)?.label ?? key;
  const keys = [...new Set([...Object.keys(configBefore), ...Object.keys(configAfter)])].filter(
    key => !isEqual(configBefore[key], configAfter[key]),
  );
  const names = [...keys.map(getSettingLabel), ...(before?.data.label === data.label ? [] : ['Name'])];
  return names.map(setting => ({ setting, label: data.label }));
}
