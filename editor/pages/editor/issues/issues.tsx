// Renders the lint issues of the board. A click selects the node, a button applies the fix.

import ChevronDown from 'icon:chevron-down';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { type IssueList, type LintIssue, NO_ISSUES } from '../../../../src/graph/issues.ts';
import { type Board, findNode } from '../../../board/board.ts';
import { lintRemote } from '../../../board/remote.ts';
import { SeverityIcon } from '../../../canvas/icons.tsx';
import { messages } from '../../../flow-messages.ts';
import { findBoardNodeId } from '../../../session/component-states.ts';
import { useBoard, useEditor } from '../../../session/editor-context.tsx';
import { FixAllButton, FixButton } from './fix-button.tsx';
import styles from './issues.module.css';

const flowMessages = messages.flow;
const LINT_DELAY_MS = 250;
const MAX_SHOWN_ISSUES = 100;

export function Issues() {
  const { view, session, canvas } = useEditor();
  const { issues, total } = useIssues();
  const head = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    view.setState({ issues: groupByNode(issues, session.store.getState().board) });
  }, [view, session, issues]);
  if (issues.length === 0) return null;
  const errors = issues.filter(({ severity }) => severity === 'error').length;
  // Moves the focus away from the fixed issue, which disappears.
  const keepFocus = (): void => (issues.length === 1 ? canvas.current?.focus() : head.current?.focus());
  return (
    <section className={styles.issues} aria-label={flowMessages.issuesPanel} data-open={isOpen || undefined}>
      <button
        ref={head}
        type="button"
        className={styles.head}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <SeverityIcon severity={errors > 0 ? 'error' : 'warning'} />
        {flowMessages.issueCount(errors, total - errors)}
        <ChevronDown className={styles.chevron} />
      </button>
      {isOpen && (
        <div className={styles.all}>
          <FixAllButton issues={issues} onBeforeFix={() => canvas.current?.focus()} />
        </div>
      )}
      <ul aria-label={flowMessages.issues} className={styles.list} hidden={!isOpen}>
        {issues.slice(0, MAX_SHOWN_ISSUES).map((issue, index) => (
          <IssueItem
            // biome-ignore lint/suspicious/noArrayIndexKey: issues have no id
            key={index}
            issue={issue}
            fix={isOpen && <FixButton issue={issue} onBeforeFix={keepFocus} />}
          />
        ))}
        {total > MAX_SHOWN_ISSUES && (
          <li className={styles.more}>{flowMessages.issuesShown(MAX_SHOWN_ISSUES, total)}</li>
        )}
      </ul>
    </section>
  );
}

interface ItemProps {
  readonly issue: LintIssue;
  readonly fix: ReactNode;
}

function IssueItem({ issue, fix }: ItemProps) {
  const { severity, message, edgeId } = issue;
  const { session, canvas } = useEditor();
  const nodeId = useBoard(({ board }) => issue.nodeId && findBoardNodeId(board, issue.nodeId));
  const label = useBoard(({ board }) => nodeId && findNode(board, nodeId)?.data.label);
  const edge = useBoard(({ board }) => board.edges.find(({ id }) => id === edgeId));
  const targetId = nodeId ?? edge?.target;
  const showIssue = (): void => {
    if (targetId === undefined) return;
    session.store.actions.select([nodeId ?? edgeId ?? targetId]);
    canvas.current?.focusNode(targetId);
  };
  return (
    <li className={styles.row}>
      <button type="button" className={styles.item} onClick={showIssue}>
        <SeverityIcon severity={severity} />
        <span>
          {label !== undefined && <strong>{label}: </strong>}
          {message}
        </span>
      </button>
      {fix}
    </li>
  );
}

function groupByNode(issues: readonly LintIssue[], board: Board): ReadonlyMap<string, readonly LintIssue[]> {
  const targets = new Map(board.edges.map(({ id, target }) => [id, target]));
  return Map.groupBy(issues, ({ nodeId, edgeId }) => {
    const path = nodeId ?? targets.get(edgeId ?? '') ?? '';
    return findBoardNodeId(board, path) ?? path;
  });
}

/** Boards with more nodes are linted in the browser first, because sending them takes longer. */
const MAX_SENT_NODES = 200;
const LARGE_LINT_DELAY_MS = 1500;

/** Returns the issues that the service finds. While the service is unreachable, returns the issues found in the browser. */
function useIssues(): IssueList {
  const { session } = useEditor();
  const board = useBoard(state => state.board);
  const [issueList, setIssueList] = useState(NO_ISSUES);
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const lintLocally = async (): Promise<void> => {
      // Ignores a failed worker: the next change starts another, and the service lints on save.
      const result = await session.worker.lint(board).catch(() => undefined);
      if (!signal.aborted && result !== undefined) setIssueList(result);
    };
    const lintRemotely = async (): Promise<void> => {
      try {
        const result = await lintRemote(session.id, board, signal);
        if (!signal.aborted) setIssueList(result);
      } catch {
        if (!signal.aborted) await lintLocally();
      }
    };
    const isLarge = board.nodes.length > MAX_SENT_NODES;
    const timers = [
      setTimeout(() => void (isLarge ? lintLocally() : lintRemotely()), LINT_DELAY_MS),
      ...(isLarge ? [setTimeout(() => void lintRemotely(), LARGE_LINT_DELAY_MS)] : []),
    ];
    return () => {
      controller.abort();
      timers.forEach(clearTimeout);
    };
  }, [session, board]);
  return issueList;
}
