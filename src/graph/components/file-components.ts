// Resolves the calls between the workflows of one file, whose graphs may be malformed.
import { type GraphNode, toObject } from '../types.ts';
import { COMPONENT_CALL, type ComponentCall, readCall } from './calls.ts';

/** A version of a workflow in a file. */
export interface FileComponent {
  readonly id: string;
  readonly version: number;
  /** Whether calls of `latest` use this version. */
  readonly isLatest?: boolean;
  readonly nodes: unknown;
}

/** Returns the called version, or undefined if the file does not contain it. */
export type FindInFile<C> = (call: Pick<ComponentCall, 'workflowId' | 'version'>) => C | undefined;

export function createFileFinder<C extends FileComponent>(components: readonly C[]): FindInFile<C> {
  const byVersion = new Map(components.map(component => [`${component.id}@${component.version}`, component]));
  const latest = new Map(
    components.filter(({ isLatest }) => isLatest === true).map(component => [component.id, component]),
  );
  return ({ workflowId, version }) =>
    version === 'latest' ? latest.get(workflowId) : byVersion.get(`${workflowId}@${version}`);
}

export interface OrderedComponents<C> {
  /** The components that the nodes call, directly or not. Each comes after the components that it calls. */
  readonly ordered: readonly C[];
  /** A component that calls itself, directly or not. The order is then incomplete. */
  readonly circular?: C;
}

export function orderFileComponents<C extends FileComponent>(
  nodes: unknown,
  find: FindInFile<C>,
): OrderedComponents<C> {
  const ordered = new Set<C>();
  const open = new Set<C>();
  const listCalled = (nodes: unknown): C[] => listFileCalls(nodes).flatMap(call => find(call) ?? []);
  // The last entry is the component that is being visited, with the calls that remain to be followed.
  const stack: { readonly component?: C; readonly remaining: C[] }[] = [{ remaining: listCalled(nodes) }];
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const next = top.remaining.pop();
    if (next === undefined) {
      stack.pop();
      if (top.component === undefined) continue;
      open.delete(top.component);
      ordered.add(top.component);
    } else if (open.has(next)) return { ordered: [...ordered], circular: next };
    else if (!ordered.has(next)) {
      open.add(next);
      stack.push({ component: next, remaining: listCalled(next.nodes) });
    }
  }
  return { ordered: [...ordered] };
}

const isFileCall = (node: unknown): boolean => toObject(toObject(node).data).nodeType === COMPONENT_CALL;

export function listFileCalls(nodes: unknown): readonly ComponentCall[] {
  return Array.isArray(nodes) ? nodes.filter(isFileCall).map(node => readCall(node as GraphNode)) : [];
}

/** Changes settings of calls. `change` returns undefined for a call that stays the same. */
export function mapFileCalls(
  nodes: unknown,
  change: (call: ComponentCall) => Readonly<Record<string, unknown>> | undefined,
): unknown {
  if (!Array.isArray(nodes)) return nodes;
  return nodes.map(node => {
    const changedSettings = isFileCall(node) ? change(readCall(node as GraphNode)) : undefined;
    if (changedSettings === undefined) return node;
    // Settings in `params` would override those in `config`.
    const { params, ...data } = (node as GraphNode).data;
    return {
      ...node,
      data: { ...data, config: { ...toObject(data.config), ...toObject(params), ...changedSettings } },
    };
  });
}
