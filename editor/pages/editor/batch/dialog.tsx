// Renders the dialog that runs the workflow over the rows of a table or over combinations of values.

import Play from 'icon:play';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useDeferredValue, useEffect, useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import { ApiError } from '../../../../sdk/src/errors.ts';
import type { BatchRequest } from '../../../../sdk/src/types.ts';
import type { OpenBoard } from '../../../board/open-board.ts';
import { Button } from '../../../kit/button.tsx';
import { Dialog } from '../../../kit/dialog.tsx';
import { Failure } from '../../../kit/failure.tsx';
import { TextField } from '../../../kit/field.tsx';
import formStyles from '../../../kit/form.module.css';
import { Tabs } from '../../../kit/tabs.tsx';
import { api } from '../../../lib/api.ts';
import { useBoard, useEditor } from '../../../session/editor-context.tsx';
import { formatCredits } from '../toolbar/price.tsx';
import styles from './batch.module.css';
import { MatrixSource } from './matrix-source.tsx';
import { messages } from './messages.ts';
import { Problems } from './problems.tsx';
import { getInputNodes, listMatrixFields, type MatrixField, type Source } from './source.ts';
import { TableSource } from './table-source.tsx';

const FIRST_ROWS = 3;
const ESTIMATE_DELAY_MS = 400;
const MAX_CONCURRENCY = 100;

interface BatchDialogProps {
  /** Whether the dialog opens with the combinations of values. */
  readonly isComparison?: true | undefined;
  /** The node whose settings come first. */
  readonly nodeId?: string | undefined;
  readonly onClose: () => void;
}

export function BatchDialog({ isComparison, nodeId, onClose }: BatchDialogProps) {
  const { session } = useEditor();
  const board = useBoard(state => state.board);
  const [, navigate] = useLocation();
  const [tab, setTab] = useState<'table' | 'values'>(isComparison ? 'values' : 'table');
  const [source, setSource] = useState<Source>();
  const [maxCredits, setMaxCredits] = useState('');
  const [concurrency, setConcurrency] = useState('10');
  const inputs = useMemo(() => getInputNodes(board), [board]);
  const matrixFields = useMemo(
    () => startWithNode(listMatrixFields(board, session.catalog, messages.inputs), nodeId),
    [board, session, nodeId],
  );
  const estimate = useEstimate(session, source);
  const start = useMutation({
    mutationFn: async (firstRows: number | undefined) => {
      await session.saver.flushOrThrowOnConflict('autosave');
      const request: BatchRequest = {
        ...source,
        concurrency: Number(concurrency),
        ...(maxCredits === '' ? {} : { maxCredits: Number(maxCredits) }),
        ...(firstRows === undefined ? {} : { firstRows }),
      };
      return api.post(`/workflows/${session.id}/batches`, request, {
        headers: { 'idempotency-key': crypto.randomUUID() },
        repeatable: true,
      });
    },
    onSuccess: ({ batchId }) => navigate(`/batches/${batchId}`),
  });
  const rowsEstimate = estimate.data;
  const creditsError = !/^\d{0,12}$/.test(maxCredits)
    ? messages.invalidNumber
    : rowsEstimate?.exact === false && maxCredits === ''
      ? messages.maxCreditsNeeded
      : undefined;
  const concurrencyError =
    /^\d{1,3}$/.test(concurrency) && Number(concurrency) >= 1 && Number(concurrency) <= MAX_CONCURRENCY
      ? undefined
      : messages.concurrencyRange;
  const isReady =
    source !== undefined &&
    rowsEstimate !== undefined &&
    !estimate.isFetching &&
    creditsError === undefined &&
    concurrencyError === undefined;
  return (
    <Dialog
      title={isComparison ? messages.comparison : messages.title}
      size="l"
      onClose={onClose}
      actions={
        <>
          <p role="status" className={`${formStyles.muted} ${styles.cost}`}>
            {source === undefined || estimate.error !== null
              ? ''
              : rowsEstimate === undefined || estimate.isFetching
                ? messages.estimating
                : messages.cost(formatCredits(rowsEstimate), rowsEstimate.rows)}
          </p>
          {rowsEstimate !== undefined && rowsEstimate.rows > FIRST_ROWS && (
            <Button disabled={!isReady || start.isPending} onClick={() => start.mutate(FIRST_ROWS)}>
              {messages.runFirst(FIRST_ROWS)}
            </Button>
          )}
          <Button
            variant="primary"
            icon={Play}
            isBusy={start.isPending}
            disabled={!isReady}
            onClick={() => start.mutate(undefined)}
          >
            {messages.run(source === undefined ? undefined : rowsEstimate?.rows)}
          </Button>
        </>
      }
    >
      <Tabs
        label={messages.sources}
        value={tab}
        onChange={next => {
          setTab(next);
          setSource(undefined);
        }}
        tabs={messages.tabs}
      >
        {tab === 'table' ? (
          <TableSource inputs={inputs} onChange={setSource} />
        ) : (
          <MatrixSource matrixFields={matrixFields} onChange={setSource} />
        )}
      </Tabs>
      <Rejection error={start.error ?? (source === undefined ? null : estimate.error)} />
      {rowsEstimate?.meta?.warnings.map(warning => (
        <p key={warning} role="alert" className={styles.warning}>
          {warning}
        </p>
      ))}
      <div className={styles.limits}>
        <TextField
          label={messages.maxCredits}
          hint={messages.maxCreditsHint}
          error={creditsError}
          inputMode="numeric"
          value={maxCredits}
          onChange={({ target }) => setMaxCredits(target.value.trim())}
        />
        <TextField
          label={messages.concurrency}
          error={concurrencyError}
          inputMode="numeric"
          value={concurrency}
          onChange={({ target }) => setConcurrency(target.value.trim())}
        />
      </div>
    </Dialog>
  );
}

const startWithNode = (fields: readonly MatrixField[], nodeId: string | undefined): readonly MatrixField[] =>
  fields.toSorted((a, b) => Number(b.nodeId === nodeId) - Number(a.nodeId === nodeId));

/** Checks the rows and estimates their price once the user pauses. Saves the board first. */
function useEstimate(session: OpenBoard, source: Source | undefined) {
  const [settledSource, setSettledSource] = useState<Source>();
  const deferredSource = useDeferredValue(source);
  useEffect(() => {
    const timer = setTimeout(() => setSettledSource(deferredSource), ESTIMATE_DELAY_MS);
    return () => clearTimeout(timer);
  }, [deferredSource]);
  const query = useQuery({
    queryKey: ['batch-estimate', session.id, settledSource],
    enabled: settledSource !== undefined && settledSource === source,
    retry: false,
    staleTime: 0,
    gcTime: 0,
    queryFn: async ({ signal }) => {
      await session.saver.flushOrThrowOnConflict('autosave');
      return api.post(`/workflows/${session.id}/batches/estimate`, settledSource, {
        signal,
        repeatable: true,
      });
    },
  });
  return {
    data: settledSource === source ? query.data : undefined,
    error: settledSource === source ? query.error : null,
    isFetching: query.isFetching,
  };
}

function Rejection({ error }: { readonly error: unknown }) {
  if (error === null) return null;
  const issues = error instanceof ApiError ? error.issues : undefined;
  if (issues === undefined || issues.length === 0) return <Failure error={error} />;
  return (
    <Problems
      problems={issues.map(({ path, message }, index) => ({
        id: `${index} ${path}`,
        message: `${message}${message.endsWith('.') ? '' : '.'}`,
      }))}
    />
  );
}
