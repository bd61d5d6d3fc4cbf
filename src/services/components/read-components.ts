// Reads the component versions that calls refer to, including nested components.
import { type ComponentCall, listComponentCalls } from '../../graph/components/calls.ts';
import { MAX_DEPTH, MAX_EXPANDED_NODES } from '../../graph/components/component-tree.ts';
import type { Graph } from '../../graph/types.ts';
import { AppError } from '../../lib/errors.ts';
import { yieldTurn } from '../../lib/yield-turn.ts';
import type { Tx } from '../../store/db.ts';
import { type ComponentRow, listComponents, listVersionSizes } from '../../store/workflows/components.ts';
import type { Deps } from '../deps.ts';

export type ComponentRef = Pick<ComponentCall, 'workflowId' | 'version'>;

/** A version of a workflow that a call refers to. */
export interface Component {
  readonly workflowId: string;
  readonly name: string;
  readonly version: number;
  readonly graph: Graph;
  /** The size of the graph's text. */
  readonly characters: number;
  readonly mentionsSecrets: boolean;
  /** A deleted component stays in the graphs of its callers, but no new run may use it. */
  readonly isDeleted: boolean;
}

/** The components of an imported file, by the id of their workflow. They may not be stored yet. */
export type ImportedComponents = ReadonlyMap<string, Component>;

export interface Components {
  /** Returns the version that the call refers to; undefined if that version does not exist. */
  find(ref: ComponentRef): Component | undefined;
  list(): readonly Component[];
  /** The latest versions of the components that are called without a pinned version, by workflow id. */
  readonly latest: ReadonlyMap<string, number>;
}

/** The maximum size of all components of a workflow, in characters of their graphs. */
const MAX_CHARACTERS = 8_000_000;

/**
 * Reads the components of the calls, level by level. `latestAtStart` contains, by workflow id, the versions that were
 * the latest when a run was accepted. Does not read components that are nested too deeply. Throws 400
 * `component_too_large`.
 */
export async function readComponents(
  deps: Pick<Deps, 'versions'> & { readonly imported?: ImportedComponents },
  tx: Tx,
  calls: readonly ComponentRef[],
  latestAtStart?: Readonly<Record<string, number>>,
): Promise<Components> {
  const rows = new Map<string, ComponentRow>();
  const components = new Map<string, Component>();
  const latest = new Map<string, number>();
  let totalCharacters = 0;
  const toVersion = ({ workflowId, version }: ComponentRef) => ({
    workflowId,
    version:
      version === 'latest' ? (latestAtStart?.[workflowId] ?? rows.get(workflowId)?.version ?? 0) : version,
  });
  const toKey = (ref: ComponentRef): string => {
    const { workflowId, version } = toVersion(ref);
    return `${workflowId}@${version}`;
  };
  let pending = calls;
  for (let level = 1; level <= MAX_DEPTH && pending.length > 0; level++) {
    const nested: ComponentRef[] = [];
    for (const { workflowId } of pending) {
      const component = deps.imported?.get(workflowId);
      if (component === undefined || rows.has(workflowId)) continue;
      const { name, version, isDeleted } = component;
      rows.set(workflowId, { id: workflowId, name, version, is_deleted: isDeleted });
      components.set(toKey(component), component);
      nested.push(...listComponentCalls(component.graph));
    }
    const ids = [...new Set(pending.map(({ workflowId }) => workflowId))].filter(id => !rows.has(id));
    if (ids.length > 0) for (const row of await listComponents(tx, ids)) rows.set(row.id, row);
    for (const ref of pending)
      if (ref.version === 'latest') latest.set(ref.workflowId, toVersion(ref).version);
    const versions = [...new Map(pending.map(ref => [toKey(ref), toVersion(ref)])).values()].filter(
      ref => rows.has(ref.workflowId) && ref.version > 0 && !components.has(toKey(ref)),
    );
    if (components.size + versions.length > MAX_EXPANDED_NODES) throw createTooLargeError();
    const sizes = versions.length === 0 ? [] : await listVersionSizes(tx, versions);
    totalCharacters += sizes.reduce((sum, { size }) => sum + size, 0);
    if (totalCharacters > MAX_CHARACTERS) throw createTooLargeError();
    for (const { workflow_id: workflowId, version } of sizes) {
      const { graph, characters, mentionsSecrets } = await deps.versions.get(tx, workflowId, version);
      const { name, is_deleted: isDeleted } = rows.get(workflowId) as ComponentRow;
      components.set(toKey({ workflowId, version }), {
        workflowId,
        name,
        version,
        graph,
        characters,
        mentionsSecrets,
        isDeleted,
      });
      nested.push(...listComponentCalls(graph));
      // Each graph may take long to parse.
      await yieldTurn();
    }
    pending = nested;
  }
  return { find: ref => components.get(toKey(ref)), list: () => [...components.values()], latest };
}

const createTooLargeError = (): AppError =>
  new AppError(
    'component_too_large',
    `The components of a workflow may have ${MAX_EXPANDED_NODES} nodes and ${MAX_CHARACTERS / 1e6} MB together. Remove calls, or split the workflow.`,
  );
