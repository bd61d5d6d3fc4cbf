// Renders the credit transactions, newest first.

import { Link } from 'wouter';
import type { LedgerEntry } from '../../../../sdk/src/schemas.ts';
import { useList } from '../../../kit/infinite-list.tsx';
import type { Column } from '../../../kit/table.tsx';
import { TableList } from '../../../kit/table-list.tsx';
import { RelativeTime } from '../../../kit/time.tsx';
import { formatNumber } from '../../../lib/format.ts';
import { Section, Wrapped } from '../section.tsx';
import { messages } from './messages.ts';

export function Ledger() {
  const list = useList('/credits', { limit: 50 });
  return (
    <Section title={messages.ledger}>
      <TableList
        query={list}
        empty={<p>{messages.noLedger}</p>}
        label={messages.ledger}
        columns={COLUMNS}
        getKey={({ id }) => id}
      />
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
