// Renders the last run of a node in the inspector: status, duration, credits and warnings.
import type { GraphNode } from '../../src/graph/types.ts';
import { messages } from '../flow-messages.ts';
import { Button } from '../kit/button.tsx';
import { formatDuration, formatNumber } from '../lib/format.ts';
import { useDisplayedNode, useEditor, useNodeRun } from './editor-context.tsx';
import styles from './node-result.module.css';
import { findShownState, getResults } from './results.ts';

const flowMessages = messages.flow;

export function NodeOutcome({ node }: { readonly node: GraphNode }) {
  const { view } = useEditor();
  const run = useNodeRun(node.id);
  const displayed = useDisplayedNode(node.id);
  const shown = findShownState(node, displayed);
  if (run === undefined) return null;
  const { status, error, credits, cached, fromSample, startedAt, finishedAt, warnings = [], log } = run;
  const ms =
    startedAt !== null && finishedAt !== null ? Date.parse(finishedAt) - Date.parse(startedAt) : undefined;
  const details = [
    fromSample ? flowMessages.sampleResult : cached ? flowMessages.cached : messages.nodeStates[status],
    ms === undefined || cached ? undefined : formatDuration(ms),
    credits > 0 ? flowMessages.credits(credits, formatNumber(credits)) : undefined,
  ].filter(detail => detail !== undefined);
  // The node may show results of an earlier run, which do not belong here.
  const resultState = shown === displayed ? run : shown;
  const results = resultState === undefined ? [] : getResults(resultState);
  return (
    <section className={styles.outcome} aria-label={flowMessages.lastRun}>
      <h3>{flowMessages.lastRun}</h3>
      <p className={styles.details}>{details.join(' · ')}</p>
      {error !== null && <p className={styles.error}>{error}</p>}
      {warnings.map(warning => (
        <p key={warning}>{warning}</p>
      ))}
      {log !== undefined && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
        <pre role="log" className={styles.log} aria-label={flowMessages.log} tabIndex={0}>
          {log}
        </pre>
      )}
      <div className={styles.actions}>
        {results.length > 0 && (
          <Button
            size="s"
            onClick={() =>
              view.setState({ panel: { kind: 'result', nodeId: resultState?.nodeId ?? node.id } })
            }
          >
            {flowMessages.openResult}
          </Button>
        )}
      </div>
    </section>
  );
}
