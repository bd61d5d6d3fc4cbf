// Renders a planned partial run: its nodes, reused results, price, and the button that starts it.

import Play from 'icon:play';
import { useEffect, useRef } from 'react';
import { messages } from '../../../flow-messages.ts';
import { Banner } from '../../../kit/banner.tsx';
import { Button } from '../../../kit/button.tsx';
import { isEditable } from '../../../lib/editable.ts';
import { useEditor, useView } from '../../../session/editor-context.tsx';
import { startPlannedRun } from '../../../session/runs/plan-run.ts';
import { formatPrice } from '../toolbar/price.tsx';
import { bannerMessages } from './messages.ts';

const planMessages = bannerMessages.plan;

export function PlanBanner() {
  const editor = useEditor();
  const plan = useView(view => view.plan);
  const startButton = useRef<HTMLButtonElement>(null);
  const isReady = plan?.estimate !== undefined;
  // Keyboard users run the command, then press Enter. The price may arrive while the user types into a field.
  useEffect(() => {
    if (isReady && !isEditable(document.activeElement)) startButton.current?.focus();
  }, [isReady]);
  if (plan === undefined) return null;
  const counts = Map.groupBy(plan.states.values(), state => state);
  const count = (state: 'run' | 'cached' | 'reused'): number => counts.get(state)?.length ?? 0;
  const close = (): void => {
    editor.view.setState({ plan: undefined });
    editor.canvas.current?.focus();
  };
  return (
    <Banner
      label={planMessages.title}
      onKeyDown={event => event.key === 'Escape' && close()}
      actions={
        <>
          <span role="status" aria-label={planMessages.price}>
            {plan.estimate && formatPrice(plan.estimate)}
          </span>
          <Button size="s" variant="quiet" onClick={close}>
            {messages.common.cancel}
          </Button>
          <Button
            ref={startButton}
            size="s"
            variant="primary"
            icon={Play}
            isBusy={!isReady}
            onClick={() => void startPlannedRun(editor)}
          >
            {planMessages.start}
          </Button>
        </>
      }
    >
      <p>
        <strong>{planMessages.kinds[plan.kind]}</strong>{' '}
        {planMessages.counts(count('run'), count('cached'), count('reused'))}
      </p>
    </Banner>
  );
}
