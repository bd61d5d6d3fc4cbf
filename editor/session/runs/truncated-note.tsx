// Renders a note that the stored values of a node are truncated, with a link to the complete ones.
import { messages } from '../../messages.ts';

export function TruncatedNote({
  executionId,
  nodeId,
}: {
  readonly executionId: string;
  readonly nodeId: string;
}) {
  return (
    <p>
      {messages.common.truncated}{' '}
      <a
        href={`/api/v1/executions/${executionId}/outputs/${encodeURIComponent(nodeId)}`}
        target="_blank"
        rel="noreferrer"
      >
        {messages.common.openComplete}
      </a>
    </p>
  );
}
