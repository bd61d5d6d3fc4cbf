// Renders the last run of a node in the inspector: status, duration, credits, warnings and log.
import type { GraphNode } from '../../../src/graph/types.ts';
import { messages } from '../../flow-messages.ts';
import { Button } from '../../kit/button.tsx';
import { formatDuration, formatNumber } from '../../lib/format.ts';
import { lazyComponent } from '../../lib/lazy-component.ts';
import { useDisplayedNode, useEditor, useNodeRun } from '../editor-context.tsx';
import type { DecisionProps } from './approval.tsx';
import styles from './node-result.module.css';
import { findShownState, getResults } from './results.ts';

const flowMessages = messages.flow;

const NodeDecision = lazyComponent<DecisionProps>(async () => (await import('./approval.tsx')).NodeDecision);

export function NodeLastRun({ node }: { readonly node: GraphNode }) {
  const { view } = useEditor();
  const run = useNodeRun(node.id);
  // A call shows the result of an inner node.
  const resultNodeId = findShownState(node, useDisplayedNode(node.id))?.nodeId ?? node.id;
  // The displayed state may have the result of an earlier run.
  const resultState = useNodeRun(resultNodeId);
  if (run === undefined) return null;
  const {
    status,
    error,
    approval,
    credits,
    cached,
    fromSample,
    startedAt,
    finishedAt,
    warnings = [],
    log,
  } = run;
  const ms =
    startedAt !== null && finishedAt !== null ? Date.parse(finishedAt) - Date.parse(startedAt) : undefined;
  const details = [
    fromSample ? flowMessages.sampleResult : cached ? flowMessages.cached : messages.nodeStates[status],
    ms === undefined || cached ? undefined : formatDuration(ms),
    credits > 0 ? flowMessages.credits(credits, formatNumber(credits)) : undefined,
  ].filter(detail => detail !== undefined);
  const hasResults = resultState !== undefined && getResults(resultState).length > 0;
  return (
    <section className={styles.lastRun} aria-label={flowMessages.lastRun}>
      <h3>{flowMessages.lastRun}</h3>
      <p className={styles.details}>{details.join(' · ')}</p>
      {approval && <NodeDecision approval={approval} />}
      {error !== null && <p className={styles.error}>{error}</p>}
      {[...new Set(warnings)].map(warning => (
        <p key={warning}>{warning}</p>
      ))}
      {log !== undefined && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
        <pre role="log" className={styles.log} aria-label={flowMessages.log} tabIndex={0}>
          {log}
        </pre>
      )}
      {hasResults && (
        <div className={styles.actions}>
          <Button size="s" onClick={() => view.setState({ panel: { kind: 'result', nodeId: resultNodeId } })}>
            {flowMessages.openResult}
          </Button>
        </div>
      )}
    </section>
  );
}
