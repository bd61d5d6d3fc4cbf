// Shows the status of a node in the run that the board shows.

import Ban from 'icon:ban';
import Check from 'icon:check';
import CircleAlert from 'icon:circle-alert';
import Clock from 'icon:clock';
import Pin from 'icon:pin';
import SkipForward from 'icon:skip-forward';
import Zap from 'icon:zap';
import type { NodeState } from '../../sdk/src/types.ts';
import { messages } from '../flow-messages.ts';
import type { Icon } from '../kit/icon.ts';
import { Spinner } from '../kit/spinner.tsx';
import { formatPercent } from '../lib/format.ts';
import styles from './run-mark.module.css';

const ICONS: Readonly<Record<string, Icon>> = {
  COMPLETED: Check,
  FAILED: CircleAlert,
  SKIPPED: SkipForward,
  CANCELLED: Ban,
  PENDING: Clock,
  WAITING: Clock,
};

export function RunMark({ run }: { readonly run: NodeState }) {
  const { status, cached, progress } = run;
  const StatusIcon = cached && status === 'COMPLETED' ? Zap : ICONS[status];
  const label = cached && status === 'COMPLETED' ? messages.flow.cached : messages.nodeStates[status];
  const hasProgress = status === 'RUNNING' && progress > 0 && progress < 1;
  return (
    <span
      className={styles.mark}
      data-status={status.toLowerCase()}
      role="img"
      aria-label={label}
      title={label}
    >
      {hasProgress && <span className={styles.percent}>{formatPercent(progress)}</span>}
      {StatusIcon === undefined ? <Spinner /> : <StatusIcon size={15} />}
    </span>
  );
}

/** Marks a node with a pinned result. */
export function PinMark() {
  return (
    <span className={styles.mark} role="img" aria-label={messages.flow.pinned} title={messages.flow.pinned}>
      <Pin size={15} />
    </span>
  );
}
