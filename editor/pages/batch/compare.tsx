// Renders up to four rows of a batch side by side.
import type { BatchRow } from '../../../sdk/src/types.ts';
import { Dialog } from '../../kit/dialog.tsx';
import { ResultActions } from '../../session/results/result-actions.tsx';
import { findRowResult } from '../../session/runs/row-result.ts';
import { messages } from './messages.ts';
import styles from './page.module.css';
import { Result, useInputsText } from './row-card.tsx';

interface CompareProps {
  readonly workflowId: string;
  readonly rows: readonly BatchRow[];
  readonly onClose: () => void;
}

export function Compare({ rows, workflowId, onClose }: CompareProps) {
  const [row] = rows;
  const title = rows.length === 1 && row ? messages.row(row.row, row.key) : messages.compareTitle;
  return (
    <Dialog title={title} size="xl" onClose={onClose}>
      <div className={styles.compared} data-count={rows.length}>
        {rows.map(row => (
          <figure key={row.row}>
            <div className={styles.large}>
              <Result row={row} label={messages.row(row.row, row.key)} />
            </div>
            <figcaption>
              <strong>{messages.row(row.row, row.key)}</strong>
              <InputsText row={row} />
              <RowActions row={row} workflowId={workflowId} />
            </figcaption>
          </figure>
        ))}
      </div>
    </Dialog>
  );
}

function InputsText({ row }: { readonly row: BatchRow }) {
  return <span>{useInputsText(row)}</span>;
}

function RowActions({ row, workflowId }: Pick<CompareProps, 'workflowId'> & { readonly row: BatchRow }) {
  const result = findRowResult(row);
  if (result === undefined) return null;
  const { executionId } = row;
  return (
    <ResultActions
      {...{ result, executionId, workflowId }}
      label={messages.row(row.row, row.key)}
      nodeId={result.nodeId}
    />
  );
}
