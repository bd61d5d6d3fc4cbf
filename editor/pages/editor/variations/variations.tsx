// Renders four variations of a node side by side: runs it with four seeds, as a batch.
import Lock from 'icon:lock';
import Play from 'icon:play';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { BatchEstimate, BatchRequest, BatchRow } from '../../../../sdk/src/types.ts';
import type { InputDef } from '../../../../src/graph/catalog.ts';
import type { GraphNode } from '../../../../src/graph/types.ts';
import { findNode } from '../../../board/board.ts';
import { drawSeeds, findSeedField } from '../../../board/seeds.ts';
import { messages as editorMessages } from '../../../flow-messages.ts';
import { Button, ButtonLink } from '../../../kit/button.tsx';
import { Dialog } from '../../../kit/dialog.tsx';
import { Failure } from '../../../kit/failure.tsx';
import { ResultActions } from '../../../kit/result-actions.tsx';
import { Spinner } from '../../../kit/spinner.tsx';
import { api } from '../../../lib/api.ts';
import { useEditor } from '../../../session/editor-context.tsx';
import { keepSeed } from '../../../session/runs/board-result-actions.tsx';
import { ResultView } from '../../../session/runs/result-view.tsx';
import { findRowResult, toActionTarget } from '../../../session/runs/row-result.ts';
import { formatCredits } from '../toolbar/price.tsx';
import { messages } from './messages.ts';
import styles from './variations.module.css';

const COUNT = 4;
const POLL_MS = 1000;
const ENDED: ReadonlySet<BatchRow['status']> = new Set(['completed', 'failed', 'cancelled', 'skipped']);

interface VariationsProps {
  readonly nodeId: string;
  readonly onClose: () => void;
}

export function Variations({ nodeId, onClose }: VariationsProps) {
  const { session } = useEditor();
  const { board } = session.store.getState();
  const node = findNode(board, nodeId);
  const field = node && findSeedField(board, session.catalog, node);
  if (node === undefined || field === undefined) return null;
  return <VariationsDialog node={node} field={field} onClose={onClose} />;
}

interface DialogProps {
  readonly node: GraphNode;
  /** The seed of the node. */
  readonly field: InputDef;
  readonly onClose: () => void;
}

function VariationsDialog({ node, field, onClose }: DialogProps) {
  const { session } = useEditor();
  const [seeds, setSeeds] = useState(() => drawSeeds(field, COUNT));
  const request = toRequest(node.id, field.id, seeds);
  const path = `/workflows/${session.id}/batches` as const;
  const estimate = useQuery({
    queryKey: ['variations-estimate', session.id, node.id, seeds],
    retry: false,
    gcTime: 0,
    queryFn: async ({ signal }) => {
      await session.saver.flushOrThrowOnConflict('autosave');
      return api.post<BatchEstimate>(`${path}/estimate`, request, { signal, repeatable: true });
    },
  });
  const start = useMutation({
    mutationFn: async ({ credits }: BatchEstimate) => {
      const headers = { 'idempotency-key': crypto.randomUUID() };
      const body = { ...request, maxCredits: credits };
      return api.post<{ batchId: string }>(path, body, { headers, repeatable: true });
    },
  });
  const price = estimate.data;
  // Free variations need no question.
  const startedSeeds = useRef<readonly number[]>(undefined);
  const { mutate, reset } = start;
  useEffect(() => {
    if (price?.credits !== 0 || !price.exact || startedSeeds.current === seeds) return;
    startedSeeds.current = seeds;
    mutate(price);
  }, [price, seeds, mutate]);
  const batchId = start.data?.batchId;
  const rows = useRows(batchId);
  const hasEnded = rows.length === COUNT && rows.every(({ status }) => ENDED.has(status));
  const error = estimate.error ?? start.error;
  return (
    <Dialog
      title={messages.title(node.data.label)}
      size="xl"
      onClose={onClose}
      actions={
        batchId === undefined ? (
          <Button
            variant="primary"
            icon={Play}
            isBusy={start.isPending}
            disabled={price === undefined}
            onClick={() => price && mutate(price)}
          >
            {price === undefined ? messages.estimating : messages.run(formatCredits(price))}
          </Button>
        ) : (
          <>
            <ButtonLink href={`/batches/${batchId}`}>{messages.batch}</ButtonLink>
            <Button
              variant="primary"
              disabled={!hasEnded}
              onClick={() => {
                reset();
                setSeeds(drawSeeds(field, COUNT));
              }}
            >
              {messages.again}
            </Button>
          </>
        )
      }
    >
      {error !== null && <Failure error={error} />}
      <ul className={styles.grid}>
        {seeds.map((seed, index) => (
          <li key={seed}>
            <Variation node={node} field={field} seed={seed} row={rows[index]} />
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

const toRequest = (nodeId: string, field: string, seeds: readonly number[]): BatchRequest => ({
  matrix: { config: { [nodeId]: { [field]: [...seeds] } } },
  targets: [nodeId],
  concurrency: COUNT,
});

/** Reads the rows of the batch until all have ended. */
function useRows(batchId: string | undefined): readonly BatchRow[] {
  const { data } = useQuery({
    queryKey: ['variations-rows', batchId],
    enabled: batchId !== undefined,
    gcTime: 0,
    queryFn: ({ signal }) => api.get<{ data: readonly BatchRow[] }>(`/batches/${batchId}/rows`, { signal }),
    refetchInterval: ({ state }) =>
      state.data?.data.every(({ status }) => ENDED.has(status)) ? false : POLL_MS,
  });
  return data?.data ?? [];
}

interface VariationProps extends Omit<DialogProps, 'onClose'> {
  readonly seed: number;
  readonly row: BatchRow | undefined;
}

function Variation({ node, field, seed, row }: VariationProps) {
  const editor = useEditor();
  const result = row && findRowResult(row);
  const label = editorMessages.flow.seed.of(seed);
  return (
    <figure className={styles.variation} aria-label={label}>
      <div className={styles.result}>
        {result === undefined ? <Progress row={row} /> : <ResultView result={result} label={label} />}
      </div>
      <figcaption>
        <strong>{label}</strong>
        {result !== undefined && (
          <ResultActions {...toActionTarget(result)} executionId={row?.executionId}>
            <Button size="s" icon={Lock} onClick={() => keepSeed(editor, node, field.id, seed)}>
              {editorMessages.flow.seed.use}
            </Button>
          </ResultActions>
        )}
      </figcaption>
    </figure>
  );
}

function Progress({ row }: { readonly row: BatchRow | undefined }) {
  if (row === undefined) return null;
  if (row.status === 'failed') return <p className={styles.error}>{row.error?.message}</p>;
  return ENDED.has(row.status) ? (
    <p>{messages.status[row.status]}</p>
  ) : (
    <p role="status">
      <Spinner /> {messages.status[row.status]}
    </p>
  );
}
