// Renders the run history: shows an earlier run on the board, or reuses its inputs.
import type { ListedExecution } from '../../../../sdk/src/types.ts';
import { messages } from '../../../flow-messages.ts';
import { RunBadge } from '../../../kit/badge.tsx';
import { Button } from '../../../kit/button.tsx';
import { Dialog } from '../../../kit/dialog.tsx';
import { InfiniteList, useList } from '../../../kit/infinite-list.tsx';
import { Ago } from '../../../kit/time.tsx';
import { formatDuration, formatNumber } from '../../../lib/format.ts';
import { durationMs } from '../../../lib/runs.ts';
import { useEditor, useRun } from '../../../runs/editor-context.tsx';
import { useInputsOf } from '../use-inputs-of.ts';
import styles from './dialogs.module.css';

const runsMessages = messages.flow.runs;

export function RunsDialog({ onClose }: { readonly onClose: () => void }) {
  const { session } = useEditor();
  const query = useList<ListedExecution>(`/workflows/${session.id}/executions`, { limit: 30 });
  return (
    <Dialog title={runsMessages.title} size="l" onClose={onClose}>
      <p className={styles.soft}>{runsMessages.about}</p>
      <InfiniteList query={query} empty={<p>{runsMessages.none}</p>}>
        {runs => (
          <ol className={styles.rows}>
            {runs.map(run => (
              <RunRow key={run.id} run={run} onDone={onClose} />
            ))}
          </ol>
        )}
      </InfiniteList>
    </Dialog>
  );
}

function RunRow({ run, onDone }: { readonly run: ListedExecution; readonly onDone: () => void }) {
  const { runs } = useEditor();
  const applyInputs = useInputsOf();
  const isShown = useRun(state => state.run?.id === run.id);
  const ms = durationMs(run);
  const facts = [
    messages.flow.versions.version(run.workflowVersion),
    ms === null ? undefined : formatDuration(ms),
    run.credits.charged > 0
      ? messages.flow.credits(run.credits.charged, formatNumber(run.credits.charged))
      : undefined,
  ];
  return (
    <li className={styles.row} aria-current={isShown || undefined}>
      <RunBadge status={run.status} />
      <span className={styles.grow}>
        <Ago time={run.createdAt} />
        <span className={styles.soft}>{facts.filter(Boolean).join(' · ')}</span>
      </span>
      <Button size="s" variant="quiet" onClick={() => void applyInputs(run.id).then(onDone)}>
        {runsMessages.useInputs}
      </Button>
      <Button
        size="s"
        onClick={() => {
          void runs.show(run.id);
          onDone();
        }}
      >
        {runsMessages.show}
      </Button>
    </li>
  );
}
