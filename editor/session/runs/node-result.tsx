// Renders the results of a node inside the node: thumbnails, text or a player. A click opens the result dialog.

import ImageIcon from 'icon:image';
import { useQueries } from '@tanstack/react-query';
import { isComponentCall } from '../../../src/graph/components/calls.ts';
import type { GraphNode } from '../../../src/graph/types.ts';
import { messages } from '../../flow-messages.ts';
import { Button } from '../../kit/button.tsx';
import { openComponent } from '../component-versions.ts';
import { toInnerNodeQuery } from '../components.ts';
import { useEditor, useRun } from '../editor-context.tsx';
import { ErrorActions } from './error-actions.tsx';
import styles from './node-result.module.css';
import { ResultView } from './result-view.tsx';
import { findShownState, getNodeResults, isResultOutdated, MAX_SHOWN_RESULTS } from './results.ts';
import type { NodeDisplay } from './stored-results.ts';

const flowMessages = messages.flow;

interface NodeResultProps {
  readonly node: GraphNode;
  readonly run: NodeDisplay | undefined;
  readonly hasPreview: boolean;
}

export function NodeResult(props: NodeResultProps) {
  const { node, run } = props;
  if (run?.status === 'WAITING' && isApproval(node)) return <Approval nodeId={node.id} node={node} />;
  if (run?.waitingNodeIds?.length) return <WaitingCall {...props} paths={run.waitingNodeIds} />;
  return <NodeResultContent {...props} />;
}

const isApproval = ({ data }: GraphNode): boolean => data.nodeType === 'logic:approval';

/** Maximum number of waiting inner nodes that are read to find an approval. */
const MAX_WAITING_NODES = 4;

/** Renders the approval that an inner node waits for, or the result if no node waits for an approval. */
function WaitingCall({ paths, ...props }: NodeResultProps & { readonly paths: readonly string[] }) {
  const queries = paths.slice(0, MAX_WAITING_NODES).map(path => toInnerNodeQuery(props.node, path));
  const nodes = useQueries({ queries }).map(({ data }) => data);
  const index = nodes.findIndex(node => node && isApproval(node));
  const [approval, path] = [nodes[index], paths[index]];
  return approval && path !== undefined ? (
    <Approval nodeId={path} node={approval} />
  ) : (
    <NodeResultContent {...props} />
  );
}

function NodeResultContent({ node, run, hasPreview }: NodeResultProps) {
  const { view } = useEditor();
  if (run?.error) return <FailedResult node={node} message={run.error} />;
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

function Approval({ nodeId, node }: { readonly nodeId: string; readonly node: GraphNode }) {
  const { runs } = useEditor();
  const { message } = node.data.config ?? {};
  return (
    <div className={`${styles.belowCard} ${styles.approval}`}>
      <p>{typeof message === 'string' && message !== '' ? message : flowMessages.approvalQuestion}</p>
      <div className={styles.actions}>
        <Button size="s" onClick={() => void runs.decide(nodeId, false)}>
          {flowMessages.reject}
        </Button>
        <Button size="s" variant="primary" onClick={() => void runs.decide(nodeId, true)}>
          {flowMessages.approve}
        </Button>
      </div>
    </div>
  );
}
