// Renders the results of a node inside the node: thumbnails, text or a player. A click opens the result dialog.

import ImageIcon from 'icon:image';
import { isComponentCall } from '../../../src/graph/components/calls.ts';
import type { GraphNode } from '../../../src/graph/types.ts';
import { messages } from '../../flow-messages.ts';
import { Button } from '../../kit/button.tsx';
import { lazyComponent } from '../../lib/lazy-component.ts';
import { openComponent } from '../component-versions.ts';
import { useEditor, useRun } from '../editor-context.tsx';
import type { ApprovalProps } from './approval.tsx';
import { ErrorActions } from './error-actions.tsx';
import styles from './node-result.module.css';
import { ResultView } from './result-view.tsx';
import { findShownState, getNodeResults, isResultOutdated, MAX_SHOWN_RESULTS } from './results.ts';
import type { NodeDisplay } from './stored-results.ts';

const flowMessages = messages.flow;

/** Only nodes that wait for a decision show it. */
const Approval = lazyComponent<ApprovalProps>(async () => (await import('./approval.tsx')).Approval);

interface NodeResultProps {
  readonly node: GraphNode;
  readonly run: NodeDisplay | undefined;
  readonly hasPreview: boolean;
}

export function NodeResult(props: NodeResultProps) {
  const asking = findAsking(props);
  return asking === undefined ? <NodeResultContent {...props} /> : <Approval {...asking} node={props.node} />;
}

/** Returns the approval that the node, or a node inside its component, waits for. */
function findAsking({ node, run }: NodeResultProps): Omit<ApprovalProps, 'node'> | undefined {
  if (run?.status === 'WAITING' && node.data.nodeType === 'logic:approval')
    return { nodeId: node.id, asked: run.approval };
  const askOf = (id: string) => run?.findInner?.(id.slice(node.id.length + 1))?.approval;
  const nodeId = run?.waitingNodeIds?.find(askOf);
  return nodeId === undefined ? undefined : { nodeId, asked: askOf(nodeId) };
}

function NodeResultContent({ node, run, hasPreview }: NodeResultProps) {
  const { view } = useEditor();
  if (run?.error) return <FailedResult node={node} message={run.error} />;
  if (run?.previewUrl)
    return (
      <figure className={styles.result} aria-label={flowMessages.previewOf(node.data.label)}>
        <img src={run.previewUrl} alt="" />
      </figure>
    );
  const results = getNodeResults(node, run);
  if (results.length === 0)
    return hasPreview ? (
      <div className={styles.empty}>
        <ImageIcon size={28} />
      </div>
    ) : null;
  const shown = findShownState(node, run);
  const isOutdated = isResultOutdated(node, shown);
  const openResult = (index: number): void =>
    view.setState({ panel: { kind: 'result', nodeId: shown?.nodeId ?? node.id, index } });
  return (
    <figure
      className={styles.result}
      aria-label={flowMessages.resultOf(node.data.label)}
      data-many={
        results.length > 1 ? (results.every(({ kind }) => kind === 'media') ? 'media' : 'text') : undefined
      }
      data-outdated={isOutdated || undefined}
    >
      {results.slice(0, MAX_SHOWN_RESULTS).map((result, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: results have no id and never change their order
        <ResultView key={index} result={result} isSmall onOpen={() => openResult(index)} />
      ))}
      {results.length > MAX_SHOWN_RESULTS && (
        <span className={styles.more}>+{results.length - MAX_SHOWN_RESULTS}</span>
      )}
      {(isOutdated || shown?.fromSample) && (
        <figcaption className={styles.outdated}>
          {isOutdated ? flowMessages.outdatedResult : flowMessages.sampleResult}
        </figcaption>
      )}
    </figure>
  );
}

/** Renders the error message and the buttons that help to fix it. */
function FailedResult({ node, message }: { readonly node: GraphNode; readonly message: string }) {
  const editor = useEditor();
  const error = useRun(({ run }) => run?.error);
  const isErrorOfNode = error?.nodeId === node.id || error?.nodeId?.startsWith(`${node.id}/`);
  return (
    <div className={`${styles.belowCard} ${styles.error}`}>
      <p>{message}</p>
      <div className={`${styles.actions} nodrag`}>
        {isComponentCall(node) && (
          <Button size="s" onClick={() => void openComponent(editor, node.id)}>
            {flowMessages.commands.openComponent}
          </Button>
        )}
        <ErrorActions code={isErrorOfNode ? error?.code : undefined} nodeId={node.id} />
      </div>
    </div>
  );
}
