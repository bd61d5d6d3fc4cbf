// Renders the history of an automation: times, outcomes, reasons and runs.
import { Link } from 'wouter';
import type { Firing, TriggerEvent } from '../../../sdk/src/schemas.ts';
import { Badge, type Tone } from '../../kit/badge.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { InfiniteList, useList } from '../../kit/infinite-list.tsx';
import { type Column, Table } from '../../kit/table.tsx';
import { formatExact } from '../../lib/format.ts';
import { messages } from './messages.ts';
import { type Automation, getHistoryPath } from './use-automations.ts';

interface HistoryDialogProps {
  readonly automation: Automation;
  readonly onClose: () => void;
}

type HistoryEntry = Firing | TriggerEvent;

const POLL_MS = 5000;

export function HistoryDialog({ automation, onClose }: HistoryDialogProps) {
  const query = useList<HistoryEntry>(getHistoryPath(automation), { limit: 50 }, () => POLL_MS);
  const title = messages.historyOf(automation.name);
  return (
    <Dialog title={title} size="l" onClose={onClose}>
      <InfiniteList query={query} empty={<p>{messages.noHistory}</p>}>
        {entries => (
          <Table label={title} columns={COLUMNS} rows={entries.map(toRow)} getKey={({ key }) => key} />
        )}
      </InfiniteList>
    </Dialog>
  );
}

const toRow = (entry: HistoryEntry, index: number) => ({ ...entry, key: index, time: getTime(entry) });
type Row = ReturnType<typeof toRow>;

const getTime = (entry: HistoryEntry): string => ('dueAt' in entry ? entry.dueAt : entry.at);

const TONES: Readonly<Record<string, Tone>> = {
  accepted: 'success',
  waiting: 'accent',
  refused: 'danger',
};

const COLUMNS: readonly Column<Row>[] = [
  { title: messages.time, cell: ({ time }) => formatExact(Date.parse(time)) },
  {
    title: messages.outcome,
    cell: ({ outcome }) => (
      <Badge tone={TONES[outcome] ?? 'neutral'}>{messages.outcomes[outcome] ?? outcome}</Badge>
    ),
  },
  { title: messages.reason, cell: ({ reason }) => reason ?? '–' },
  {
    title: messages.run,
    cell: ({ executionId }) =>
      executionId === null ? '–' : <Link href={`/executions/${executionId}`}>{messages.openRun}</Link>,
  },
];
