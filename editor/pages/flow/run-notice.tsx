// Renders the shown run: progress, error, and a button to hide it.

import Close from 'icon:x';
import { useEffect } from 'react';
import { ApiError } from '../../../sdk/src/errors.ts';
import { messages } from '../../flow-messages.ts';
import { RunBadge } from '../../kit/badge.tsx';
import { Button, IconButton } from '../../kit/button.tsx';
import { toErrorMessage } from '../../kit/failure.tsx';
import { Ago } from '../../kit/time.tsx';
import { formatNumber } from '../../lib/format.ts';
import { useEditor, useRun } from '../../runs/editor-context.tsx';
import { ErrorActions } from '../../runs/error-actions.tsx';
import { isInProgress, type RunSummary } from '../../runs/run-store.ts';
import styles from './notice.module.css';
import { useInputsOf } from './use-inputs-of.ts';

const flowMessages = messages.flow;

export function RunNotice() {
  const { runs, session } = useEditor();
  const run = useRun(state => state.run);
  const error = useRun(state => state.error);
  useEffect(() => {
    const nodeId = error instanceof ApiError ? error.issues?.[0]?.nodeId : undefined;
    if (nodeId !== undefined) session.store.actions.select([nodeId]);
  }, [error, session]);
  if (run === undefined && error === undefined) return null;
  return (
    <section
      className={styles.notice}
      aria-label={flowMessages.run}
      data-tone={error === undefined && run?.error == null ? undefined : 'danger'}
    >
      <div className={styles.row}>
        {run && <RunFacts run={run} />}
        {error !== undefined && (
          <>
            <p role="alert">{toErrorMessage(error)}</p>
            <ErrorActions code={error instanceof ApiError ? error.code : undefined} />
          </>
        )}
        {run?.error && <Failed error={run.error} />}
        <span className={styles.end}>
          {run && !isInProgress(run) && <UseInputs executionId={run.id} />}
          <IconButton
            size="s"
            icon={Close}
            label={flowMessages.closeRun}
            disabled={isInProgress(run)}
            onClick={() => runs.clear()}
          />
        </span>
      </div>
      {run && isInProgress(run) && <ProgressBar run={run} />}
    </section>
  );
}

const ENDED: ReadonlySet<string> = new Set(['COMPLETED', 'FAILED', 'SKIPPED', 'CANCELLED']);

/** Counts ended nodes from the events, which arrive before the run's own count. */
function useDone({ progress }: RunSummary): number {
  const ended = useRun(({ nodes }) => [...nodes.values()].filter(({ status }) => ENDED.has(status)).length);
  return Math.max(ended, progress.done);
}

function Progress({ run }: { readonly run: RunSummary }) {
  return <span>{flowMessages.progress(useDone(run), run.progress.total)}</span>;
}

function ProgressBar({ run }: { readonly run: RunSummary }) {
  return (
    <progress
      className={styles.progress}
      aria-label={flowMessages.progressLabel}
      max={Math.max(run.progress.total, 1)}
      value={useDone(run)}
    />
  );
}

/** Its status and, once ended, its time. */
function RunFacts({ run }: { readonly run: RunSummary }) {
  const { charged } = run.credits;
  return (
    <>
      <RunBadge status={run.status} />
      {isInProgress(run) ? (
        <Progress run={run} />
      ) : (
        <>
          <span>{flowMessages.charged(charged, formatNumber(charged))}</span>
          <span className={styles.soft}>
            <Ago time={run.createdAt} />
          </span>
        </>
      )}
    </>
  );
}

function Failed({ error: { message, nodeId } }: { readonly error: NonNullable<RunSummary['error']> }) {
  const { canvas } = useEditor();
  return (
    <p role="alert">
      {message}{' '}
      {nodeId !== null && (
        <button type="button" className={styles.link} onClick={() => canvas.current?.focusNode(nodeId)}>
          {flowMessages.save.showIssue}
        </button>
      )}
    </p>
  );
}

function UseInputs({ executionId }: { readonly executionId: string }) {
  const applyInputs = useInputsOf();
  return (
    <Button size="s" variant="quiet" onClick={() => void applyInputs(executionId)}>
      {flowMessages.runs.useInputs}
    </Button>
  );
}
