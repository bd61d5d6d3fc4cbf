// Renders the first issues of the selected node, with their fixes.
import type { GraphNode } from '../../../../src/graph/types.ts';
import { SeverityIcon } from '../../../canvas/icons.tsx';
import { messages } from '../../../flow-messages.ts';
import { useEditor, useView } from '../../../session/editor-context.tsx';
import { FixButton } from '../issues/fix-button.tsx';
import styles from './inspector.module.css';

const MAX_SHOWN_ISSUES = 8;

export function NodeIssues({ node }: { readonly node: GraphNode }) {
  const { canvas } = useEditor();
  const issues = useView(view => view.issues.get(node.id));
  if (issues === undefined) return null;
  return (
    <ul className={styles.issues} aria-label={messages.flow.issuesOf(node.data.label)}>
      {issues.slice(0, MAX_SHOWN_ISSUES).map((issue, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: issues have no id
        <li key={index}>
          <SeverityIcon severity={issue.severity} />
          <span>{issue.message}</span>
          <FixButton issue={issue} onBeforeFix={() => canvas.current?.focusNode(node.id)} />
        </li>
      ))}
      {issues.length > MAX_SHOWN_ISSUES && (
        <li className={styles.more}>{messages.flow.issuesShown(MAX_SHOWN_ISSUES, issues.length)}</li>
      )}
    </ul>
  );
}
