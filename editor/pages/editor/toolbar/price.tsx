// Shows the estimated price of a run. Updates after each save.
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useStore } from 'zustand';
import { messages } from '../../../flow-messages.ts';
import { formatNumber } from '../../../lib/format.ts';
import { useBoard, useEditor, useRun } from '../../../session/editor-context.tsx';
import { type Estimate, estimateBoard, usesSample } from '../../../session/runs/estimate.ts';
import { getPins } from '../../../session/runs/pins.ts';
import { isInProgress } from '../../../session/runs/run-store.ts';
import styles from './toolbar.module.css';

const flowMessages = messages.flow;
const ESTIMATE_DELAY_MS = 300;

export function Price() {
  const { session, runs } = useEditor();
  const { store, saver } = session;
  const isSaved = useBoard(({ save }) => save.kind === 'saved');
  const changeOfOthers = useBoard(state => state.changeOfOthers);
  const hasNodes = useBoard(({ board }) => board.nodes.length > 0);
  // Results cached by the last run make the next run cheaper.
  const isRunning = useStore(runs, ({ run }) => isInProgress(run));
  const estimate = useRun(state => state.estimate);
  const samples = useRun(state => state.samples);
  const [focusCount, setFocusCount] = useState(0);
  // A provider may have been set up in another tab.
  const mayGainProvider = samples !== undefined;
  useEffect(() => {
    if (!mayGainProvider) return;
    const increment = (): void => setFocusCount(count => count + 1);
    window.addEventListener('focus', increment);
    return () => window.removeEventListener('focus', increment);
  }, [mayGainProvider]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: other users, a finished run and a new provider change the price
  useEffect(() => {
    // The previous price does not apply to the changed board.
    runs.setState({ estimate: undefined });
    if (!isSaved || !hasNodes || saver.isDirty || session.isReadOnly) return;
    const controller = new AbortController();
    const timer = setTimeout(() => {
      estimateBoard(session.id, getPins(store.getState().board), controller.signal).then(
        result => runs.setState(result),
        () => controller.signal.aborted || runs.setState({ estimate: undefined, samples: undefined }),
      );
    }, ESTIMATE_DELAY_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [session, store, saver, runs, isSaved, changeOfOthers, hasNodes, isRunning, focusCount]);
  const isUnaffordable = estimate !== undefined && estimate.credits > estimate.availableCredits;
  const text =
    estimate && hasNodes
      ? usesSample(samples) && estimate.credits === 0
        ? flowMessages.sample
        : formatPrice(estimate)
      : '';
  const element = useRef<HTMLSpanElement>(null);
  const [width, setWidth] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the width depends on the text
  useLayoutEffect(() => setWidth(element.current?.offsetWidth ?? 0), [text]);
  return (
    <span
      ref={element}
      role="status"
      aria-label={flowMessages.price}
      className={styles.price}
      data-unaffordable={isUnaffordable || undefined}
      // Keeps the space of the previous price, so that the bar does not move while the user types.
      style={text === '' && hasNodes ? { minWidth: width } : undefined}
    >
      {text}
    </span>
  );
}

/** Formats a price that stands alone, as `Free`, `3 credits` or `about 3 credits`. */
export const formatPrice = (estimate: Pick<Estimate, 'credits' | 'exact'>): string =>
  estimate.credits === 0 && estimate.exact ? flowMessages.free : formatCredits(estimate);

/** Formats a price for a sentence, as `3 credits` or `about 3 credits`. */
export function formatCredits({ credits, exact }: Pick<Estimate, 'credits' | 'exact'>): string {
  const text = flowMessages.credits(credits, formatNumber(credits));
  return exact ? text : flowMessages.about(text);
}
