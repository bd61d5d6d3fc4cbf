// Renders the run shown on the board: progress or price, error, and a button to hide it.

import Close from 'icon:x';
import { useEffect } from 'react';
import { ApiError } from '../../../../sdk/src/errors.ts';
import { messages as componentMessages } from '../../../component-messages.ts';
import { messages } from '../../../flow-messages.ts';
import { RunBadge } from '../../../kit/badge.tsx';
import { Banner } from '../../../kit/banner.tsx';
import { Button, IconButton } from '../../../kit/button.tsx';
import { toErrorMessage } from '../../../kit/failure.tsx';
import { RelativeTime } from '../../../kit/time.tsx';
import { formatNumber } from '../../../lib/format.ts';
import { lazyComponent } from '../../../lib/lazy-component.ts';
import { FINAL_STATUSES, findBoardNodeId } from '../../../session/component-states.ts';
import { useInterface } from '../../../session/component-versions.ts';
import { useBoard, useEditor, useRun } from '../../../session/editor-context.tsx';
import { ErrorActions } from '../../../session/runs/error-actions.tsx';
import { useApplyInputs } from '../../../session/runs/run-inputs.ts';
import { isInProgress, type RunSummary } from '../../../session/runs/run-store.ts';
import styles from './banners.module.css';

const flowMessages = messages.flow;

const ViewResultButton = lazyComponent(
  async () => (await import('./view-result-button.tsx')).ViewResultButton,
  () => null,
);

export function RunBanner() {
  const { runs, session } = useEditor();
  const error = useRun(state => state.error);
  // Next to the error of a run that did not start, the status of an earlier run would seem to be its status.
  const run = useRun(state => (error === undefined || isInProgress(state.run) ? state.run : undefined));
  const isCallerRun = useRun(state => state.isCallerRun) && run !== undefined;
  useEffect(() => {
    const path = error instanceof ApiError ? error.issues?.[0]?.nodeId : undefined;
    const nodeId = path === undefined ? undefined : findBoardNodeId(session.store.getState().board, path);
    if (nodeId !== undefined) session.store.actions.select([nodeId]);
  }, [error, session]);
  if (run === undefined && error === undefined) return null;
  return (
    <Banner
      label={flowMessages.run}
      tone={error === undefined && run?.error == null ? undefined : 'danger'}
      actions={
        <>
          {run && !isInProgress(run) && <ViewResultButton />}
          {run && !isInProgress(run) && !isCallerRun && <UseInputsButton executionId={run.id} />}
          <IconButton
            size="s"
            icon={Close}
            label={flowMessages.closeRun}
            disabled={isInProgress(run)}
            onClick={() => runs.clear()}
          />
        </>
      }
      details={run && isInProgress(run) && <ProgressBar run={run} />}
    >
      {isCallerRun && <CallerName />}
      {run && <RunStatus run={run} />}
      {error !== undefined && (
        <>
          <p role="alert">{toErrorMessage(error)}</p>
          <ErrorActions code={error instanceof ApiError ? error.code : undefined} />
        </>
      )}
      {run?.error && <RunError error={run.error} />}
    </Banner>
  );
}

/** Names the workflow whose run is shown in its component. */
function CallerName() {
  const name = useInterface(useEditor().trail[0]?.workflowId)?.name;
  return <span>{componentMessages.runOf(name ?? componentMessages.caller)}</span>;
}

/** Counts finished nodes. Node events arrive before the run's own progress, so the larger count is right. */
function useFinishedCount({ progress }: RunSummary): number {
  const finishedCount = useRun(
    ({ nodes }) => [...nodes.values()].filter(({ status }) => FINAL_STATUSES.has(status)).length,
  );
  return Math.max(finishedCount, progress.done);
}

function Progress({ run }: { readonly run: RunSummary }) {
  return <span>{flowMessages.progress(useFinishedCount(run), run.progress.total)}</span>;
}

function ProgressBar({ run }: { readonly run: RunSummary }) {
  return (
    <progress
      className={styles.progress}
      aria-label={flowMessages.progressLabel}
      max={Math.max(run.progress.total, 1)}
      value={useFinishedCount(run)}
    />
  );
}

/** Renders the status, and the progress or, after the end, the charge and the time. */
function RunStatus({ run }: { readonly run: RunSummary }) {
  const { charged } = run.credits;
  return (
    <>
      <RunBadge status={run.status} />
      {isInProgress(run) ? (
        <Progress run={run} />
      ) : (
        <>
          <span>{flowMessages.charged(charged, formatNumber(charged))}</span>
          <span className={styles.muted}>
            <RelativeTime time={run.createdAt} />
          </span>
        </>
      )}
    </>
  );
}

function RunError({ error }: { readonly error: NonNullable<RunSummary['error']> }) {
  const { canvas } = useEditor();
  const { message } = error;
  const nodeId = useBoard(({ board }) =>
    error.nodeId === null ? undefined : findBoardNodeId(board, error.nodeId),
  );
  return (
    <p role="alert">
      {message}{' '}
      {nodeId !== undefined && (
        <button type="button" className={styles.link} onClick={() => canvas.current?.focusNode(nodeId)}>
          {flowMessages.save.showIssue}
        </button>
      )}
    </p>
  );
}

function UseInputsButton({ executionId }: { readonly executionId: string }) {
  const applyInputs = useApplyInputs();
  return (
    <Button size="s" variant="quiet" onClick={() => void applyInputs(executionId)}>
      {flowMessages.runs.useInputs}
    </Button>
  );
}
