// Renders four variations of a node side by side: runs it with four seeds, as a batch.
import ArrowLeft from 'icon:arrow-left';
import Play from 'icon:play';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useStore } from 'zustand';
import type { BatchEstimate, BatchRequest, BatchRow } from '../../../../sdk/src/types.ts';
import type { InputDef } from '../../../../src/graph/catalog.ts';
import type { GraphNode } from '../../../../src/graph/types.ts';
import { findNode } from '../../../board/board.ts';
import { drawSeeds, findSeedField } from '../../../board/seeds.ts';
import { messages as editorMessages } from '../../../flow-messages.ts';
import { Button, ButtonLink } from '../../../kit/button.tsx';
import { Comparison } from '../../../kit/comparison.tsx';
import { Dialog } from '../../../kit/dialog.tsx';
import { Failure } from '../../../kit/failure.tsx';
import { Spinner } from '../../../kit/spinner.tsx';
import { api } from '../../../lib/api.ts';
import { useEditor } from '../../../session/editor-context.tsx';
import { closeFirst, findBoardActions } from '../../../session/results/board-actions.ts';
import { ResultActions } from '../../../session/results/result-actions.tsx';
import { mediaAspects } from '../../../session/runs/result-height.ts';
import { ResultView } from '../../../session/runs/result-view.tsx';
import type { Result } from '../../../session/runs/results.ts';
import { findRowResult } from '../../../session/runs/row-result.ts';
import { formatCredits } from '../toolbar/price.tsx';
import { messages } from './messages.ts';
import styles from './variations.module.css';

const COUNT = 4;
/** Width divided by height. */
const WIDE_ASPECT = 1.3;
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
  const variations = seeds.map((seed, index) => toVariation(seed, rows[index]));
  const [compared, setCompared] = useState<readonly number[]>([]);
  const comparedResults = variations.filter(({ seed }) => compared.includes(seed));
  const [largeSeed, setLargeSeed] = useState<number>();
  const largeVariation = variations.find(({ seed }) => seed === largeSeed);
  const toggleCompared = (seed: number): void =>
    setCompared(compared.includes(seed) ? compared.filter(each => each !== seed) : [...compared, seed]);
  const aspects = useStore(mediaAspects);
  // Four wide pictures are larger in two lines, others in one.
  const isWide = variations.some(({ result }) => (aspects.get(toUrl(result)) ?? 1) > WIDE_ASPECT);
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
                setCompared([]);
                setLargeSeed(undefined);
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
      {comparedResults.length === 2 ? (
        <ComparedVariations variations={comparedResults} onEnd={() => setCompared([])} />
      ) : largeVariation !== undefined ? (
        <LargeVariation
          node={node}
          variation={largeVariation}
          onEnd={() => setLargeSeed(undefined)}
          onClose={onClose}
        />
      ) : (
        <>
          {compared.length === 1 && <p role="status">{messages.chooseOther}</p>}
          <ul className={styles.grid} data-is-wide={isWide || undefined}>
            {variations.map(variation => (
              <li key={variation.seed}>
                <VariationTile
                  node={node}
                  variation={variation}
                  isCompared={compared.includes(variation.seed)}
                  onCompare={() => toggleCompared(variation.seed)}
                  // While the other variation is chosen, a click on an image chooses it too.
                  onOpen={() =>
                    compared.length === 1 ? toggleCompared(variation.seed) : setLargeSeed(variation.seed)
                  }
                  onClose={onClose}
                />
              </li>
            ))}
          </ul>
        </>
      )}
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

/** A seed with its row, and the result once there is one. */
interface Variation {
  readonly seed: number;
  readonly row: BatchRow | undefined;
  readonly result: Result | undefined;
}

function toVariation(seed: number, row: BatchRow | undefined): Variation {
  const result = row && findRowResult(row);
  return { seed, row, result: result?.kind === 'media' ? { ...result, seed } : result };
}

const toUrl = (result: Result | undefined): string => (result?.kind === 'media' ? result.url : '');

interface VariationTileProps extends Pick<DialogProps, 'node' | 'onClose'> {
  readonly variation: Variation;
  readonly isCompared: boolean;
  readonly onCompare: () => void;
  readonly onOpen: () => void;
}

function VariationTile({ node, variation, isCompared, onCompare, onOpen, onClose }: VariationTileProps) {
  const { seed, row, result } = variation;
  const label = editorMessages.flow.seed.of(seed);
  return (
    <figure className={styles.variation} aria-label={label} data-is-compared={isCompared || undefined}>
      <div className={styles.result}>
        {result === undefined ? (
          <Progress row={row} />
        ) : (
          <ResultView result={result} label={label} onOpen={onOpen} />
        )}
      </div>
      <figcaption>
        <strong>{label}</strong>
        <VariationActions {...{ node, variation, onClose }} isCompact onCompare={onCompare} />
      </figcaption>
    </figure>
  );
}

interface VariationActionsProps extends Pick<DialogProps, 'node' | 'onClose'> {
  readonly variation: Variation;
  readonly isCompact?: boolean;
  readonly onCompare?: () => void;
}

function VariationActions({ node, variation, isCompact, onCompare, onClose }: VariationActionsProps) {
  const editor = useEditor();
  const { row, result } = variation;
  if (result === undefined) return null;
  const target = { nodeId: node.id, label: node.data.label, result };
  return (
    <ResultActions
      {...target}
      executionId={row?.executionId}
      isCompact={isCompact === true}
      mainAction="keepSeed"
      omit="vary"
      onBoard={{
        ...closeFirst(findBoardActions(editor, target), onClose),
        ...(onCompare !== undefined && toUrl(result) !== '' && { compare: onCompare }),
      }}
    />
  );
}

interface LargeVariationProps extends Pick<DialogProps, 'node' | 'onClose'> {
  readonly variation: Variation;
  readonly onEnd: () => void;
}

function LargeVariation({ node, variation, onEnd, onClose }: LargeVariationProps) {
  const label = editorMessages.flow.seed.of(variation.seed);
  return (
    <figure className={styles.large} aria-label={label}>
      {variation.result && <ResultView result={variation.result} label={label} />}
      <figcaption>
        <strong>{label}</strong>
        <VariationActions {...{ node, variation, onClose }} />
      </figcaption>
      <Button icon={ArrowLeft} onClick={onEnd}>
        {messages.showAll}
      </Button>
    </figure>
  );
}

interface ComparedVariationsProps {
  readonly variations: readonly Variation[];
  readonly onEnd: () => void;
}

function ComparedVariations({ variations, onEnd }: ComparedVariationsProps) {
  const [before, after] = variations.map(({ seed, result }) => ({
    url: toUrl(result),
    label: editorMessages.flow.seed.of(seed),
  }));
  if (before === undefined || after === undefined) return null;
  return (
    <div className={styles.compared}>
      <Comparison label={editorMessages.flow.compare.slider} before={before} after={after} />
      <Button icon={ArrowLeft} onClick={onEnd}>
        {messages.showAll}
      </Button>
    </div>
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
