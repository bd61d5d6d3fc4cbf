// Renders the marks of a node: run status, pinned result, missing provider key, newer component version, lint issues.

import ArrowUp from 'icon:arrow-big-up-dash';
import Ban from 'icon:ban';
import Check from 'icon:check';
import CircleAlert from 'icon:circle-alert';
import Clock from 'icon:clock';
import Key from 'icon:key-round';
import Pin from 'icon:pin';
import Bypass from 'icon:redo-dot';
import SkipForward from 'icon:skip-forward';
import Zap from 'icon:zap';
import { Link } from 'wouter';
import type { NodeState } from '../../sdk/src/types.ts';
import type { LintIssue } from '../../src/graph/issues.ts';
import type { GraphNode } from '../../src/graph/types.ts';
import { messages as componentMessages } from '../component-messages.ts';
import { messages } from '../flow-messages.ts';
import { classNames } from '../kit/class-names.ts';
import type { Icon } from '../kit/icon.ts';
import { Spinner } from '../kit/spinner.tsx';
import { formatPercent } from '../lib/format.ts';
import { useProviderKeysHref } from '../lib/session.ts';
import { type ComponentNodeState, FINAL_STATUSES } from '../session/component-states.ts';
import { useNewerVersion } from '../session/component-versions.ts';
import { useEditor, useView } from '../session/editor-context.tsx';
import { SeverityIcon } from './icons.tsx';
import styles from './node-marks.module.css';

const ICONS: Readonly<Record<string, Icon>> = {
  COMPLETED: Check,
  FAILED: CircleAlert,
  SKIPPED: SkipForward,
  CANCELLED: Ban,
  PENDING: Clock,
  WAITING: Clock,
};

export function RunMark({ run }: { readonly run: NodeState | ComponentNodeState }) {
  const { status, cached, progress } = run;
  const StatusIcon = cached && status === 'COMPLETED' ? Zap : ICONS[status];
  const label = cached && status === 'COMPLETED' ? messages.flow.cached : messages.nodeStates[status];
  const count =
    'progressCounts' in run && !FINAL_STATUSES.has(status) && status !== 'PENDING'
      ? run.progressCounts
      : undefined;
  const hasProgress = count === undefined && status === 'RUNNING' && progress > 0 && progress < 1;
  const counted = count && messages.flow.progress(count.done, count.total);
  return (
    <span
      className={styles.mark}
      data-status={status.toLowerCase()}
      role="img"
      aria-label={counted === undefined ? label : `${label}, ${counted}`}
      title={counted ?? label}
    >
      {count && (
        <span className={styles.percent}>
          {count.done}/{count.total}
        </span>
      )}
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

/** Marks a bypassed node. */
export function BypassMark() {
  return (
    <span
      className={styles.mark}
      role="img"
      aria-label={messages.flow.bypassed}
      title={messages.flow.bypassed}
    >
      <Bypass size={15} />
    </span>
  );
}

/** Marks a node whose provider has no key, and links to the page where this user can add a key. */
export function ProviderMark({ provider }: { readonly provider: string }) {
  const href = useProviderKeysHref(provider);
  const text = messages.flow.missingKeys.addKey(messages.provider(provider));
  if (href === undefined)
    return (
      <span
        className={styles.mark}
        role="img"
        aria-label={messages.flow.needsProvider}
        title={messages.flow.missingKeys.ask}
      >
        <Key size={15} />
      </span>
    );
  return (
    <Link
      className={classNames(styles.mark, styles.missing, 'nodrag nopan')}
      href={href}
      aria-label={text}
      title={text}
    >
      <Key size={15} />
    </Link>
  );
}

/** Marks a call whose component has a newer version. A click shows the difference. */
export function NewerVersionMark({ node }: { readonly node: GraphNode }) {
  const { view } = useEditor();
  const newer = useNewerVersion(node);
  if (newer === undefined) return null;
  const text = componentMessages.update.mark(newer.version);
  return (
    <button
      type="button"
      className={classNames(styles.mark, styles.newer, 'nodrag nopan')}
      aria-label={text}
      title={text}
      onClick={() => view.setState({ panel: { kind: 'component', nodeId: node.id } })}
    >
      <ArrowUp size={15} />
    </button>
  );
}

export function IssueMark({ nodeId }: { readonly nodeId: string }) {
  const issues = useView(view => view.issues.get(nodeId));
  const [worst] = issues ?? [];
  if (issues === undefined || worst === undefined) return null;
  const errors = issues.filter(({ severity }) => severity === 'error').length;
  const title = issues.map(({ message }: LintIssue) => message).join('\n');
  return (
    <span
      className={styles.mark}
      role="img"
      aria-label={messages.flow.issueCount(errors, issues.length - errors)}
      title={title}
    >
      <SeverityIcon severity={worst.severity} size={15} />
    </span>
  );
}
