// Lists the issues inside the components of a graph, by the path of the call.
import { isComponentCall, listComponentCalls } from '../../graph/components/calls.ts';
import { MAX_DEPTH, MAX_EXPANDED_NODES } from '../../graph/components/component-tree.ts';
import { type IssueList, type LintIssue, MAX_ISSUES, toJsonPointer } from '../../graph/issues.ts';
import { yieldTurn } from '../../lib/yield-turn.ts';
import type { Component, ComponentRef, Components } from './read-components.ts';

/** A call in the graph that is linted. */
export interface RootCall extends ComponentRef {
  readonly nodeId: string;
  /** The index of its node. */
  readonly index: number;
}

/** What makes a node fail, whoever calls the component. */
const RELEVANT_CODES: ReadonlySet<string> = new Set([
  'unknown_config_key',
  'removed_config_key',
  'value_not_in_enum',
  'wrong_value_type',
  'value_out_of_range',
  'required_port_unfed',
  'required_field_missing',
  'unusable_config',
  'unequal_lists',
  'provider_not_configured',
  'not_allowed_by_policy',
  'local_nodes_off',
  'unknown_imported_node',
]);

/** Returns the relevant issues of a component by itself. Its inputs are ports of the call, whose lint reports them. */
export function selectIssues({ graph }: Component, issues: readonly LintIssue[]): readonly LintIssue[] {
  const ignored = new Set(
    graph.nodes.filter(node => node.data.category === 'input' || isComponentCall(node)).map(({ id }) => id),
  );
  return issues.filter(({ code, nodeId }) => RELEVANT_CODES.has(code) && !ignored.has(nodeId ?? ''));
}

/** Returns the issues of the calls at any depth, with `issuesOf` of each component, of the first 2,000 calls. */
export async function listComponentIssues(
  calls: readonly RootCall[],
  components: Components,
  issuesOf: (component: Component) => readonly LintIssue[],
): Promise<IssueList> {
  const issues: LintIssue[] = [];
  let total = 0;
  let pending: readonly PlacedCall[] = calls.map(call => ({
    ref: call,
    path: call.nodeId,
    index: call.index,
  }));
  let visited = 0;
  for (let depth = 0; depth < MAX_DEPTH && pending.length > 0; depth++) {
    const nested: PlacedCall[] = [];
    for (const { ref, path, index } of pending) {
      if (++visited > MAX_EXPANDED_NODES) return { issues, total };
      await yieldTurn();
      const component = components.find(ref);
      if (component === undefined) continue;
      for (const { nodeId, edgeId: _, path: __, ...issue } of issuesOf(component)) {
        total++;
        if (issues.length < MAX_ISSUES)
          issues.push({ ...issue, nodeId: `${path}/${nodeId}`, path: toJsonPointer('nodes', index) });
      }
      const callsLeft = MAX_EXPANDED_NODES - nested.length;
      for (const call of listComponentCalls(component.graph).slice(0, callsLeft))
        nested.push({ ref: call, path: `${path}/${call.nodeId}`, index });
    }
    pending = nested;
  }
  return { issues, total };
}

interface PlacedCall {
  readonly ref: ComponentRef;
  /** The ids of the calls that lead to it, with its own. */
  readonly path: string;
  /** The index of the outermost call. */
  readonly index: number;
}
