// Renders a planned partial run: its nodes, reused results, price, and the button that starts it.

import Play from 'icon:play';
import { useEffect, useRef } from 'react';
import { messages } from '../../../flow-messages.ts';
import { Button } from '../../../kit/button.tsx';
import { isEditable } from '../../../lib/editable.ts';
import { useEditor, useView } from '../../../session/editor-context.tsx';
import { startPlannedRun } from '../../../session/runs/plan-run.ts';
import { formatPrice } from '../toolbar/price.tsx';
import styles from './banner.module.css';
import { noticeMessages } from './messages.ts';

const planMessages = noticeMessages.plan;

export function PlanNotice() {
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
    <section
      className={styles.notice}
      aria-label={planMessages.title}
      onKeyDown={event => event.key === 'Escape' && close()}
    >
      <div className={styles.row}>
        <p>
          <strong>{planMessages.kinds[plan.kind]}</strong>{' '}
          {planMessages.counts(count('run'), count('cached'), count('reused'))}
        </p>
        <span role="status" aria-label={planMessages.price} className={styles.end}>
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
      </div>
    </section>
  );
}
