// Renders the credit transactions, newest first.
import { Link } from 'wouter';
import type { LedgerEntry } from '../../../../sdk/src/schemas.ts';
import { InfiniteList, useList } from '../../../kit/infinite-list.tsx';
import { type Column, Table } from '../../../kit/table.tsx';
import { RelativeTime } from '../../../kit/time.tsx';
import { formatNumber } from '../../../lib/format.ts';
import { Section, Wrapped } from '../section.tsx';
import { messages } from './messages.ts';

export function Ledger() {
  const list = useList<LedgerEntry>('/credits', { limit: 50 });
  return (
    <Section title={messages.ledger}>
      <InfiniteList query={list} empty={<p>{messages.noLedger}</p>}>
        {entries => (
          <Table label={messages.ledger} columns={COLUMNS} rows={entries} getKey={({ id }) => id} />
        )}
      </InfiniteList>
    </Section>
  );
}

const COLUMNS: readonly Column<LedgerEntry>[] = [
  { title: messages.when, cell: ({ createdAt }) => <RelativeTime time={createdAt} /> },
  { title: messages.kind, cell: ({ kind }) => messages.kinds[kind] },
  { title: messages.amount, align: 'end', cell: ({ amount }) => formatNumber(amount) },
  {
    title: messages.run,
    cell: ({ executionId }) =>
      executionId === null ? '–' : <Link href={`/executions/${executionId}`}>{executionId}</Link>,
  },
  { title: messages.note, cell: ({ note }) => <Wrapped>{note}</Wrapped> },
];
