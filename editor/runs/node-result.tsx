// Renders the result in the node: thumbnail, text or player. A click opens it in full.

import ImageIcon from 'icon:image';
import type { NodeState } from '../../sdk/src/types.ts';
import type { GraphNode } from '../../src/graph/types.ts';
import { messages } from '../flow-messages.ts';
import { Button } from '../kit/button.tsx';
import { useEditor, useRun } from './editor-context.tsx';
import { ErrorActions } from './error-actions.tsx';
import styles from './node-result.module.css';
import { ResultView } from './result-view.tsx';
import { resultsOf } from './results.ts';

const texts = messages.flow;
/** Shown in the node; the dialog shows the rest. */
const MAX_SHOWN = 4;

interface NodeResultProps {
  readonly node: GraphNode;
  readonly run: NodeState | undefined;
  readonly width: number;
  readonly hasPreview: boolean;
}

export function NodeResult({ node, run, hasPreview }: NodeResultProps) {
  const { view } = useEditor();
  if (run?.status === 'WAITING' && node.data.nodeType === 'logic:approval') return <Approval node={node} />;
  if (run?.error) return <Failed node={node} sentence={run.error} />;
  const results = run === undefined ? [] : resultsOf(run);
  if (results.length === 0 || !hasPreview)
    return hasPreview ? (
      <div className={styles.empty}>
        <ImageIcon size={28} />
      </div>
    ) : null;
  const open = (index: number): void => view.setState({ panel: { kind: 'result', nodeId: node.id, index } });
  return (
    <figure
      className={styles.result}
      aria-label={texts.resultOf(node.data.label)}
      data-many={results.length > 1 || undefined}
    >
      {results.slice(0, MAX_SHOWN).map((result, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: results have no id, and their order is theirs
        <ResultView key={index} result={result} isSmall onOpen={() => open(index)} />
      ))}
      {results.length > MAX_SHOWN && <span className={styles.more}>+{results.length - MAX_SHOWN}</span>}
    </figure>
  );
}

/** The error message and the buttons that fix it. */
function Failed({ node, sentence }: { readonly node: GraphNode; readonly sentence: string }) {
  const error = useRun(({ run }) => run?.error);
  return (
    <div className={`${styles.under} ${styles.error}`}>
      <p>{sentence}</p>
      <div className={`${styles.actions} nodrag`}>
        <ErrorActions code={error?.nodeId === node.id ? error.code : undefined} nodeId={node.id} />
      </div>
    </div>
  );
}

function Approval({ node }: { readonly node: GraphNode }) {
  const { runs } = useEditor();
  const { message } = node.data.config ?? {};
  return (
    <div className={`${styles.under} ${styles.approval}`}>
      <p>{typeof message === 'string' && message !== '' ? message : texts.approvalAsks}</p>
      <div className={styles.actions}>
        <Button size="s" onClick={() => void runs.decide(node.id, false)}>
          {texts.reject}
        </Button>
        <Button size="s" variant="primary" onClick={() => void runs.decide(node.id, true)}>
          {texts.approve}
        </Button>
      </div>
    </div>
  );
}
