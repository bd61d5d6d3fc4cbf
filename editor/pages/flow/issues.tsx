// What lint finds in the board as it stands, by the service's own rules; a click leads to the place.

import ChevronDown from 'icon:chevron-down';
import CircleAlert from 'icon:circle-alert';
import TriangleAlert from 'icon:triangle-alert';
import { useEffect, useState } from 'react';
import { inspectGraph } from '../../../src/graph/inspect.ts';
import type { LintIssue } from '../../../src/graph/issues.ts';
import { useBoard, useEditor } from '../../board/editor-context.tsx';
import { messages } from '../../messages.ts';
import styles from './issues.module.css';

const texts = messages.flow;
const PAUSE_MS = 250;
const MAX_SHOWN = 100;

export function Issues() {
  const issues = useIssues();
  const [isOpen, setOpen] = useState(false);
  if (issues.length === 0) return null;
  const errors = issues.filter(({ severity }) => severity === 'error').length;
  return (
    <section className={styles.issues} aria-label={texts.issuesPanel} data-open={isOpen || undefined}>
      <button type="button" className={styles.head} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {errors > 0 ? <CircleAlert className={styles.error} /> : <TriangleAlert className={styles.warning} />}
        {texts.issueCount(errors, issues.length - errors)}
        <ChevronDown className={styles.chevron} />
      </button>
      <ul aria-label={texts.issues} className={styles.list} hidden={!isOpen}>
        {issues.slice(0, MAX_SHOWN).map((issue, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: findings have no id
          <Item key={index} issue={issue} />
        ))}
      </ul>
    </section>
  );
}

function Item({ issue: { severity, message, nodeId, edgeId } }: { readonly issue: LintIssue }) {
  const { session, canvas } = useEditor();
  const label = useBoard(({ board }) => board.nodes.find(({ id }) => id === nodeId)?.data.label);
  const edge = useBoard(({ board }) => board.edges.find(({ id }) => id === edgeId));
  const place = nodeId ?? edge?.target;
  const go = (): void => {
    if (place === undefined) return;
    session.store.actions.select([nodeId ?? edgeId ?? place]);
    canvas.current?.focusNode(place);
  };
  return (
    <li>
      <button type="button" className={styles.item} onClick={go}>
        {severity === 'error' ? (
          <CircleAlert className={styles.error} />
        ) : (
          <TriangleAlert className={styles.warning} />
        )}
        <span>
          {label !== undefined && <strong>{label}: </strong>}
          {message}
        </span>
      </button>
    </li>
  );
}

/** Types whose ports the service alone knows. */
const UNKNOWN_PORTS: ReadonlySet<string> = new Set(['video:renderer']);

function useIssues(): readonly LintIssue[] {
  const { session } = useEditor();
  const board = useBoard(state => state.board);
  const [issues, setIssues] = useState<readonly LintIssue[]>([]);
  useEffect(() => {
    const timer = setTimeout(() => {
      if (board.nodes.length === 0) return setIssues([]);
      const unsure = new Set(
        board.nodes.filter(({ data }) => UNKNOWN_PORTS.has(data.nodeType)).map(({ id }) => id),
      );
      const edges = new Map(board.edges.map(edge => [edge.id, edge]));
      const isSure = ({ nodeId, edgeId }: LintIssue): boolean => {
        const edge = edges.get(edgeId ?? '');
        return ![nodeId, edge?.source, edge?.target].some(id => id !== undefined && unsure.has(id));
      };
      const found = inspectGraph(session.catalog, board.nodes, board.edges).issues;
      setIssues(found.filter(isSure));
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [session, board]);
  return issues;
}
