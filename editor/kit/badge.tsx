// Renders badges: tinted labels, and the status of a run.
import type { ReactNode } from 'react';
import type { ExecutionStatus } from '../../sdk/src/types.ts';
import { messages } from '../messages.ts';
import styles from './badge.module.css';
import { classNames } from './class-names.ts';

export type Tone = 'neutral' | 'accent' | 'success' | 'warning' | 'danger';

export function Badge({
  tone = 'neutral',
  children,
}: {
  readonly tone?: Tone;
  readonly children: ReactNode;
}) {
  return <span className={classNames(styles.badge, styles[tone])}>{children}</span>;
}

const TONES: Readonly<Record<ExecutionStatus, Tone>> = {
  QUEUED: 'neutral',
  RUNNING: 'accent',
  WAITING: 'accent',
  CANCELLING: 'warning',
  COMPLETED: 'success',
  FAILED: 'danger',
  TIMEOUT: 'danger',
  CANCELLED: 'neutral',
};
const ACTIVE: ReadonlySet<ExecutionStatus> = new Set(['RUNNING', 'WAITING', 'CANCELLING']);

export function RunBadge({ status }: { readonly status: ExecutionStatus }) {
  return (
    <span className={classNames(styles.badge, styles[TONES[status]])}>
      <span className={classNames(styles.dot, ACTIVE.has(status) && styles.moving)} aria-hidden />
      {messages.runStates[status]}
    </span>
  );
}
