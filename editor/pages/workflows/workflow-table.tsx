// Renders the workflows as a table.
import type { WorkflowListItem } from '../../../sdk/src/schemas.ts';
import { type Column, Table, toActionsColumn } from '../../kit/table.tsx';
import { RelativeTime } from '../../kit/time.tsx';
import { formatNumber } from '../../lib/format.ts';
import { WorkflowMenu } from './menus.tsx';
import { messages } from './messages.ts';
import type { WorkflowDialog } from './use-workflow-actions.ts';
import { Badges } from './workflow-card.tsx';

interface WorkflowTableProps {
  readonly workflows: readonly WorkflowListItem[];
  readonly onOpen: (dialog: WorkflowDialog) => void;
  readonly onTag: (tag: string) => void;
}

const SHARED_BY: Column<WorkflowListItem> = {
  title: messages.sharedByTitle,
  cell: ({ sharedBy }) => sharedBy?.name,
};

export function WorkflowTable({ workflows, onOpen, onTag }: WorkflowTableProps) {
  const columns: readonly Column<WorkflowListItem>[] = [
    { title: messages.name, cell: ({ id, name }) => <a href={`/flow/${id}`}>{name}</a> },
    {
      title: messages.statusAndTags,
      cell: workflow => <Badges workflow={workflow} onOpen={onOpen} onTag={onTag} />,
    },
    ...(workflows.some(({ sharedBy }) => sharedBy) ? [SHARED_BY] : []),
    { title: messages.lastEdited, cell: ({ updatedAt }) => <RelativeTime time={updatedAt} /> },
    {
      title: messages.runsTitle,
      align: 'end',
      cell: ({ executionCount }) => formatNumber(executionCount),
    },
    toActionsColumn(workflow => <WorkflowMenu workflow={workflow} onOpen={onOpen} />),
  ];
  return <Table label={messages.title} columns={columns} rows={workflows} getKey={({ id }) => id} />;
}
