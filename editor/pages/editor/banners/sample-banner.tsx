// Renders the names of nodes that show sample results, the reason, and a button for a real run once all providers are set up.

import Play from 'icon:play';
import Settings from 'icon:settings';
import Close from 'icon:x';
import { type ReactNode, useState } from 'react';
import { Banner } from '../../../kit/banner.tsx';
import { Button, ButtonLink, IconButton } from '../../../kit/button.tsx';
import { useProviderKeysHref } from '../../../lib/session.ts';
import { findBoardNodeId } from '../../../session/component-states.ts';
import { useBoard, useEditor, useRun } from '../../../session/editor-context.tsx';
import type { Estimate, Samples } from '../../../session/runs/estimate.ts';
import { isInProgress } from '../../../session/runs/run-store.ts';
import { formatCredits } from '../toolbar/price.tsx';
import { bannerMessages } from './messages.ts';

const sampleMessages = bannerMessages.samples;

export function SampleBanner() {
  const samples = useRun(state => state.samples);
  const estimate = useRun(state => state.estimate);
  const isRunning = useRun(({ run }) => isInProgress(run));
  const showsSamples = useShowsSamples();
  const [isHidden, setHidden] = useState(false);
  if (isHidden || isRunning) return null;
  const hide = (): void => setHidden(true);
  if (samples !== undefined) return <MissingProviders samples={samples} onHide={hide} />;
  return showsSamples && estimate !== undefined ? <RunForReal estimate={estimate} onHide={hide} /> : null;
}

/** Returns whether a node that costs credits shows the sample result of the template. */
function useShowsSamples(): boolean {
  const { catalog } = useEditor().session;
  const nodes = useBoard(({ board }) => board.nodes);
  const nodeDisplays = useRun(state => state.nodeDisplays);
  return nodes.some(
    ({ id, data }) =>
      nodeDisplays.get(id)?.fromSample === true && catalog.find(data.nodeType)?.executionCost === 'paid',
  );
}

function MissingProviders({ samples, onHide }: { readonly samples: Samples; readonly onHide: () => void }) {
  const { needs, nodeIds, changedIds, withoutSamples } = samples;
  const settingsHref = useProviderKeysHref(needs.length === 1 ? needs[0] : undefined);
  const board = useBoard(state => state.board);
  const toLabels = (paths: readonly string[]): readonly string[] => {
    const ids = new Set(paths.map(path => findBoardNodeId(board, path)));
    return board.nodes.filter(({ id }) => ids.has(id)).map(({ data }) => data.label);
  };
  const isChanged = changedIds.length > 0;
  return (
    <HideableBanner onHide={onHide} tone={isChanged ? 'warning' : undefined}>
      <p>
        {isChanged
          ? sampleMessages.changed(toLabels(changedIds), needs)
          : sampleMessages.shows(toLabels(nodeIds), needs)}{' '}
        {sampleMessages.price(needs, formatCredits(withoutSamples))}{' '}
        {settingsHref === undefined && sampleMessages.ask}
      </p>
      {settingsHref !== undefined && (
        <ButtonLink size="s" icon={Settings} href={settingsHref}>
          {sampleMessages.setUp(needs)}
        </ButtonLink>
      )}
    </HideableBanner>
  );
}

function RunForReal({ estimate, onHide }: { readonly estimate: Estimate; readonly onHide: () => void }) {
  const { runs } = useEditor();
  const isStarting = useRun(state => state.isStarting);
  return (
    <HideableBanner onHide={onHide}>
      <p>{sampleMessages.runYourOwn(formatCredits(estimate))}</p>
      <Button size="s" icon={Play} isBusy={isStarting} onClick={() => void runs.start({})}>
        {sampleMessages.run}
      </Button>
    </HideableBanner>
  );
}

interface HideableBannerProps {
  readonly tone?: 'warning' | undefined;
  readonly onHide: () => void;
  readonly children: ReactNode;
}

function HideableBanner({ tone, onHide, children }: HideableBannerProps) {
  return (
    <Banner
      label={sampleMessages.title}
      tone={tone}
      actions={<IconButton size="s" icon={Close} label={sampleMessages.hide} onClick={onHide} />}
    >
      {children}
    </Banner>
  );
}
