// Renders the workflows as a table.
import { type Column, Table } from '../../kit/table.tsx';
import { Ago } from '../../kit/time.tsx';
import { formatNumber } from '../../lib/format.ts';
import { WorkflowMenu } from './menus.tsx';
import { texts } from './messages.ts';
import type { ListedWorkflow } from './use-workflow.ts';
import { Badges } from './workflow-card.tsx';

interface WorkflowTableProps {
  readonly workflows: readonly ListedWorkflow[];
  readonly onMove: (workflow: ListedWorkflow) => void;
  readonly onTag: (tag: string) => void;
}

export function WorkflowTable({ workflows, onMove, onTag }: WorkflowTableProps) {
  const columns: readonly Column<ListedWorkflow>[] = [
    { title: texts.name, cell: ({ id, name }) => <a href={`/flow/${id}`}>{name}</a> },
    { title: texts.lastRun, cell: workflow => <Badges workflow={workflow} onTag={onTag} /> },
    { title: texts.changed, cell: ({ updatedAt }) => <Ago time={updatedAt} /> },
    {
      title: texts.runsTitle,
      align: 'end',
      cell: ({ executionCount }) => formatNumber(executionCount),
    },
    {
      title: texts.actions,
      isTitleHidden: true,
      align: 'end',
      cell: workflow => <WorkflowMenu workflow={workflow} onMove={onMove} />,
    },
  ];
  return <Table label={texts.title} columns={columns} rows={workflows} getKey={({ id }) => id} />;
}
