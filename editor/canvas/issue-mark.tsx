// Marks a node that has lint issues.
import type { LintIssue } from '../../src/graph/issues.ts';
import { messages } from '../flow-messages.ts';
import { useView } from '../runs/editor-context.tsx';
import styles from './run-mark.module.css';
import { SeverityIcon } from './severity-icon.tsx';

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
