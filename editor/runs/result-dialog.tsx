// What a node made, whole.
import { findNode } from '../board/board.ts';
import { useBoard } from '../board/editor-context.tsx';
import { Dialog } from '../kit/dialog.tsx';
import { messages } from '../messages.ts';
import styles from './node-result.module.css';
import { ResultView } from './result-view.tsx';
import { resultsOf } from './results.ts';
import { useNodeRun } from './use-runs.ts';

export function ResultDialog({ nodeId, onClose }: { readonly nodeId: string; readonly onClose: () => void }) {
  const run = useNodeRun(nodeId);
  const label = useBoard(({ board }) => findNode(board, nodeId)?.data.label ?? nodeId);
  const results = run === undefined ? [] : resultsOf(run);
  return (
    <Dialog title={messages.flow.resultOf(label)} onClose={onClose}>
      <div className={styles.whole}>
        {results.map((result, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: results have no id, and their order is theirs
          <div key={index} className={styles.item}>
            <ResultView result={result} />
            {result.kind !== 'text' && (
              <a href={result.url} target="_blank" rel="noreferrer">
                {messages.flow.openFile}
              </a>
            )}
          </div>
        ))}
      </div>
    </Dialog>
  );
}
