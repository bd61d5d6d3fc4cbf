// Renders a table that loads more rows on scroll.
import type { ReactNode } from 'react';
import { InfiniteList, type ListQuery } from './infinite-list.tsx';
import { Table, type TableProps } from './table.tsx';

interface TableListProps<T> extends Omit<TableProps<T>, 'rows'> {
  readonly query: ListQuery<T>;
  /** Content instead of an empty table. */
  readonly empty: ReactNode;
}

export function TableList<T>({ query, empty, ...table }: TableListProps<T>) {
  return (
    <InfiniteList query={query} empty={empty}>
      {rows => <Table {...table} rows={rows} />}
    </InfiniteList>
  );
}
