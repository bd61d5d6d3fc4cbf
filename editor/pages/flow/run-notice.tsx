// The run that the board shows: how far it is, what failed, and the way back to the bare board.

import Close from 'icon:x';
import { useEffect } from 'react';
import { ApiError } from '../../../sdk/src/errors.ts';
import { useEditor } from '../../board/editor-context.tsx';
import { RunBadge } from '../../kit/badge.tsx';
import { IconButton } from '../../kit/button.tsx';
import { sentenceOf } from '../../kit/failure.tsx';
import { formatNumber } from '../../lib/format.ts';
import { messages } from '../../messages.ts';
import { isUnderWay } from '../../runs/run-store.ts';
import { useRun } from '../../runs/use-runs.ts';
import styles from './notice.module.css';

const texts = messages.flow;

export function RunNotice() {
  const { runs, canvas, session } = useEditor();
  const run = useRun(state => state.run);
  const error = useRun(state => state.error);
  useEffect(() => {
    const nodeId = error instanceof ApiError ? error.issues?.[0]?.nodeId : undefined;
    if (nodeId !== undefined) session.store.actions.select([nodeId]);
  }, [error, session]);
  if (run === undefined && error === undefined) return null;
  const failed = run?.error ?? undefined;
  return (
    <section
      className={styles.notice}
      aria-label={texts.run}
      data-tone={error === undefined && failed === undefined ? undefined : 'danger'}
    >
      <div className={styles.row}>
        {run && <RunBadge status={run.status} />}
        {run && isUnderWay(run) && <span>{texts.progress(run.progress.done, run.progress.total)}</span>}
        {run && !isUnderWay(run) && (
          <span>{texts.charged(run.credits.charged, formatNumber(run.credits.charged))}</span>
        )}
        {error !== undefined && <p role="alert">{sentenceOf(error)}</p>}
        {failed && (
          <p role="alert">
            {failed.message}{' '}
            {failed.nodeId !== null && (
              <button
                type="button"
                className={styles.link}
                onClick={() => canvas.current?.focusNode(failed.nodeId ?? '')}
              >
                {texts.save.look}
              </button>
            )}
          </p>
        )}
        <span className={styles.close}>
          <IconButton
            size="s"
            icon={Close}
            label={texts.closeRun}
            disabled={isUnderWay(run)}
            onClick={() => runs.clear()}
          />
        </span>
      </div>
      {run && isUnderWay(run) && (
        <progress
          className={styles.progress}
          aria-label={texts.progressLabel}
          max={Math.max(run.progress.total, 1)}
          value={run.progress.done}
        />
      )}
    </section>
  );
}
