// Renders the parameters that differ between the nodes of two results: model, settings, connected texts and seed.
import { useQueries } from '@tanstack/react-query';
import type { Execution } from '../../../sdk/src/types.ts';
import type { Catalog } from '../../../src/graph/catalog.ts';
import type { Graph } from '../../../src/graph/types.ts';
import { toFieldText } from '../../board/item-text.ts';
import { findIncomingEdge } from '../../board/wiring.ts';
import { messages } from '../../flow-messages.ts';
import { DifferenceTable } from '../../kit/difference-table.tsx';
import { shorten } from '../../lib/cut-text.ts';
import { apiQuery } from '../../lib/queries.ts';
import { useEditor } from '../editor-context.tsx';
import { findOriginNode } from './origin.ts';
import styles from './result-dialog.module.css';

const compareMessages = messages.flow.compare;
const MAX_CHARS = 400;

/** Where a result comes from. */
export interface ResultSource {
  readonly executionId: string;
  readonly nodeId: string;
  readonly seed: number | undefined;
}

interface DifferencesProps {
  readonly current: ResultSource;
  readonly other: ResultSource;
}

export function Differences({ current, other }: DifferencesProps) {
  const { catalog } = useEditor().session;
  const [currentParameters, otherParameters] = useParameters(catalog, [current, other]);
  if (currentParameters === undefined || otherParameters === undefined) return null;
  const names = [...new Set([...currentParameters.keys(), ...otherParameters.keys()])];
  const differing = names.filter(name => currentParameters.get(name) !== otherParameters.get(name));
  if (differing.length === 0) return <p className={styles.same}>{compareMessages.same}</p>;
  const { parameter, other: otherHeading, this: thisHeading } = compareMessages;
  return (
    <DifferenceTable
      headings={[parameter, otherHeading, thisHeading]}
      rows={differing.map(name => [name, otherParameters.get(name), currentParameters.get(name)])}
    />
  );
}

type Parameters = ReadonlyMap<string, string>;

function useParameters(
  catalog: Catalog,
  sources: readonly ResultSource[],
): readonly (Parameters | undefined)[] {
  const forever = { staleTime: Number.POSITIVE_INFINITY };
  const runs = useQueries({
    queries: sources.map(({ executionId }) => ({
      ...apiQuery<Execution>(['/executions', executionId]),
      ...forever,
    })),
  });
  const graphs = useQueries({
    queries: sources.map(({ executionId }) => ({
      ...apiQuery<Graph>(['/executions', executionId, 'workflow']),
      ...forever,
    })),
  });
  return sources.map((source, index) => {
    const [run, graph] = [runs[index]?.data, graphs[index]?.data];
    return run && graph && readParameters(catalog, { source, run, graph });
  });
}

/** Returns the parameters of the node that made the result, by their names. */
export function readParameters(
  catalog: Catalog,
  { source, run, graph }: { readonly source: ResultSource; readonly run: Execution; readonly graph: Graph },
): Parameters {
  const { seed } = source;
  const board = { fields: {}, ...graph };
  const node = findOriginNode(board, source.nodeId);
  const parameters = new Map<string, string>();
  if (node === undefined) return parameters;
  const entry = catalog.find(node.data.nodeType);
  parameters.set(compareMessages.model, entry?.label ?? node.data.nodeType);
  const settings = { ...node.data.config, ...node.data.params };
  const { inputs } = catalog.ports(node.data.nodeType, settings);
  const states = new Map(run.nodeStates.map(state => [state.nodeId, state]));
  for (const { id, label, isPort, default: fallback } of inputs) {
    const edge = isPort ? findIncomingEdge(board, catalog, node.id, id) : undefined;
    const state = edge && states.get(edge.source);
    const value = edge === undefined ? (settings[id] ?? fallback) : (state?.text ?? state?.outputUrl);
    if (value !== undefined) parameters.set(label, shorten(toFieldText(value), MAX_CHARS));
  }
  if (seed !== undefined) parameters.set(messages.flow.seed.label, String(seed));
  return parameters;
}
