// Renders approvals on the board: the question of a waiting node, the dialog with the value that waits, and the decision. Loads
// when a node waits.
import { useQuery } from '@tanstack/react-query';
import type { NodeState } from '../../../sdk/src/types.ts';
import type { GraphNode } from '../../../src/graph/types.ts';
import { approvalMessages as messages } from '../../approval-messages.ts';
import { ApprovalForm } from '../../kit/approval/approval-form.tsx';
import { DecisionText } from '../../kit/approval/decision-text.tsx';
import { Button } from '../../kit/button.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { QueryResult } from '../../kit/query-result.tsx';
import { api } from '../../lib/api.ts';
import { formatNames } from '../../lib/format.ts';
import { apiQuery } from '../../lib/queries.ts';
import { useEditor } from '../editor-context.tsx';
import styles from './node-result.module.css';

export interface ApprovalProps {
  readonly nodeId: string;
  readonly node: GraphNode;
  /** Absent if the node began to wait in an earlier version. */
  readonly asked: NodeState['approval'];
}

export function Approval({ nodeId, node, asked }: ApprovalProps) {
  const { runs, view } = useEditor();
  const message = asked?.message ?? node.data.config?.message;
  const id = asked?.id ?? null;
  const names = asked?.assignees.filter(assignee => typeof assignee === 'string') ?? [];
  return (
    <div className={`${styles.belowCard} ${styles.approval}`}>
      <p>{typeof message === 'string' && message !== '' ? message : messages.question}</p>
      {names.length > 0 && <p className={styles.muted}>{messages.asked(formatNames(names))}</p>}
      <div className={styles.actions}>
        {id !== null && (
          <Button size="s" variant="quiet" onClick={() => view.setState({ panel: { kind: 'approval', id } })}>
            {messages.review}
          </Button>
        )}
        <Button size="s" onClick={() => void runs.decide(nodeId, false)}>
          {messages.reject}
        </Button>
        <Button size="s" variant="primary" onClick={() => void runs.decide(nodeId, true)}>
          {messages.approve}
        </Button>
      </div>
    </div>
  );
}

export interface DecisionProps {
  readonly approval: NonNullable<NodeState['approval']>;
}

/** Renders who decided. */
export const NodeDecision = ({ approval: { decision } }: DecisionProps) =>
  decision && <DecisionText decision={decision} />;

/** Renders an approval in a dialog, with the value that waits, a comment and the editable text. */
export function ApprovalDialog({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const { runs } = useEditor();
  const query = useQuery({ ...apiQuery(['/approvals', id]), staleTime: 0 });
  return (
    <Dialog title={query.data?.label ?? messages.linkTitle} onClose={onClose}>
      <QueryResult query={query}>
        {approval => (
          <>
            <p>{approval.message === '' ? messages.question : approval.message}</p>
            {approval.decision === null ? (
              <ApprovalForm
                approval={approval}
                onDecide={async body => {
                  const { executionId, nodeId } = approval;
                  const path = `/executions/${executionId}/approvals/${encodeURIComponent(nodeId)}`;
                  await api.post(path, body);
                  void runs.refreshResults();
                  onClose();
                }}
              />
            ) : (
              <DecisionText decision={approval.decision} />
            )}
          </>
        )}
      </QueryResult>
    </Dialog>
  );
}
