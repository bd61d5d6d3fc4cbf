// Renders the timeline of a run: one bar per node on a common scale.
import type { Execution, NodeState } from '../../../sdk/src/types.ts';
import { classNames } from '../../kit/class-names.ts';
import { formatDuration, formatNumber } from '../../lib/format.ts';
import { getDurationMs } from '../../lib/runs.ts';
import { messages as sharedMessages } from '../../messages.ts';
import { messages } from './messages.ts';
import styles from './timeline.module.css';

export function Timeline({ run }: { readonly run: Execution }) {
  const starts = run.nodeStates.flatMap(({ startedAt }) =>
    startedAt === null ? [] : [Date.parse(startedAt)],
  );
  const startMs = Math.min(...starts, Date.now());
  const endMs = run.finishedAt === null ? Date.now() : Date.parse(run.finishedAt);
  const scale = { startMs, spanMs: Math.max(1, endMs - startMs) };
  return (
    <ol className={styles.timeline}>
      {run.nodeStates.map(state => (
        <Row key={state.nodeId} state={state} scale={scale} />
      ))}
    </ol>
  );
}

interface Scale {
  readonly startMs: number;
  readonly spanMs: number;
}

function Row({ state, scale }: { readonly state: NodeState; readonly scale: Scale }) {
  const ms = getDurationMs(state);
  const duration = ms === null ? '–' : formatDuration(ms);
  const { label, status, error, cached, attempt, credits } = state;
  const notes = [
    cached && messages.cached,
    attempt > 1 && messages.attempt(attempt),
    credits > 0 && `${formatNumber(credits)} ${messages.summary.credits.toLowerCase()}`,
  ].filter(note => note !== false);
  return (
    <li className={styles.row}>
      <span className={styles.label} title={label}>
        {label}
      </span>
      <span className={styles.took}>{duration}</span>
      <span
        className={styles.track}
        role="img"
        aria-label={messages.bar(label, sharedMessages.nodeStates[status], duration)}
      >
        {ms !== null && (
          <span className={classNames(styles.bar, styles[status])} style={toBarStyle(state, ms, scale)} />
        )}
      </span>
      <span className={styles.notes}>
        {sharedMessages.nodeStates[status]}
        {notes.map(note => `, ${note}`)}
      </span>
      {error !== null && <p className={styles.error}>{error}</p>}
    </li>
  );
}

/** Returns the position and width of a bar in percent of the total time. A minimum width keeps short bars visible. */
function toBarStyle({ startedAt }: NodeState, ms: number, { startMs, spanMs }: Scale): React.CSSProperties {
  const leftPercent = Math.min(100, Math.max(0, ((Date.parse(startedAt ?? '') - startMs) / spanMs) * 100));
  return { left: `${leftPercent}%`, width: `max(3px, ${Math.min(100 - leftPercent, (ms / spanMs) * 100)}%)` };
}
