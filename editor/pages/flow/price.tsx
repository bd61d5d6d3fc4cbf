// Shows the estimated price of a run. Updates after each save.
import { useEffect, useState } from 'react';
import { useStore } from 'zustand';
import { messages } from '../../flow-messages.ts';
import { api } from '../../lib/api.ts';
import { formatNumber } from '../../lib/format.ts';
import { useBoard, useEditor } from '../../runs/editor-context.tsx';
import { getPins } from '../../runs/pins.ts';
import type { Estimate } from '../../runs/plan-run.ts';
import { isInProgress } from '../../runs/run-store.ts';
import styles from './toolbar.module.css';

const flowMessages = messages.flow;
const PAUSE_MS = 300;

export function Price() {
  const { session, runs } = useEditor();
  const { store, saver } = session;
  const isSaved = useBoard(({ save }) => save.kind === 'saved');
  const hasNodes = useBoard(({ board }) => board.nodes.length > 0);
  // Results cached by the last run make the next run cheaper.
  const isRunning = useStore(runs, ({ run }) => isInProgress(run));
  const [estimate, setEstimate] = useState<Estimate>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a finished run changes the price
  useEffect(() => {
    // The previous price does not apply to the changed board.
    runs.setState({ price: undefined });
    if (!isSaved || !hasNodes || saver.isDirty) return;
    const controller = new AbortController();
    const timer = setTimeout(() => {
      const request = getPins(store.getState().board);
      api
        .post<Estimate>(`/workflows/${session.id}/estimate`, request, {
          signal: controller.signal,
          repeatable: true,
        })
        .then(
          newEstimate => {
            const { credits, exact, hasSample = false } = newEstimate;
            setEstimate(newEstimate);
            // With samples, the nodes that would cost credits do not run.
            runs.setState({ price: exact && !hasSample ? credits : undefined, usesSample: hasSample });
          },
          () => {
            if (controller.signal.aborted) return;
            setEstimate(undefined);
            runs.setState({ price: undefined });
          },
        );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [session, store, saver, runs, isSaved, hasNodes, isRunning]);
  const isUnaffordable = estimate !== undefined && estimate.credits > estimate.availableCredits;
  return (
    <span
      role="status"
      aria-label={flowMessages.price}
      className={styles.price}
      data-short={isUnaffordable || undefined}
    >
      {estimate && hasNodes ? (estimate.hasSample ? flowMessages.sample : formatPrice(estimate)) : ''}
    </span>
  );
}

/** Formats a price as `3 credits` or `about 3 credits`. */
export function formatPrice({ credits, exact }: Pick<Estimate, 'credits' | 'exact'>): string {
  const text = flowMessages.credits(credits, formatNumber(credits));
  return exact ? text : flowMessages.atLeast(text);
}
