// Renders the credit transactions, newest first.
import { Link } from 'wouter';
import type { LedgerEntry } from '../../../../sdk/src/schemas.ts';
import { InfiniteList, useList } from '../../../kit/infinite-list.tsx';
import { type Column, Table } from '../../../kit/table.tsx';
import { Ago } from '../../../kit/time.tsx';
import { formatNumber } from '../../../lib/format.ts';
import { Section, Wrapped } from '../section.tsx';
import { texts } from './messages.ts';

export function Ledger() {
  const list = useList<LedgerEntry>('/credits', { limit: 50 });
  return (
    <Section title={texts.ledger}>
      <InfiniteList query={list} empty={<p>{texts.noLedger}</p>}>
        {entries => <Table label={texts.ledger} columns={COLUMNS} rows={entries} getKey={({ id }) => id} />}
      </InfiniteList>
    </Section>
  );
}

const COLUMNS: readonly Column<LedgerEntry>[] = [
  { title: texts.when, cell: ({ createdAt }) => <Ago time={createdAt} /> },
  { title: texts.kind, cell: ({ kind }) => texts.kinds[kind] },
  { title: texts.amount, align: 'end', cell: ({ amount }) => formatNumber(amount) },
  {
    title: texts.run,
    cell: ({ executionId }) =>
      executionId === null ? '–' : <Link href={`/executions/${executionId}`}>{executionId}</Link>,
  },
  { title: texts.note, cell: ({ note }) => <Wrapped>{note}</Wrapped> },
];
