// Renders a table, whose rows are cards on narrow screens.
import type { Key, ReactNode } from 'react';
import { messages } from '../messages.ts';
import { classNames } from './class-names.ts';
import styles from './table.module.css';
import { VisuallyHidden } from './visually-hidden.tsx';

export interface Column<T> {
  readonly title: string;
  /** Shows the title only to screen readers, for columns of buttons. */
  readonly isTitleHidden?: true;
  readonly cell: (row: T) => ReactNode;
  /** Numbers are aligned at the end. */
  readonly align?: 'start' | 'end';
}

export interface TableProps<T> {
  /** Accessible name of the table. */
  readonly label: string;
  /** The first column names the row. */
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly getKey: (row: T) => Key;
}

/** Creates a column of buttons or menus, whose title only screen readers get. */
export const toActionsColumn = <T,>(cell: Column<T>['cell']): Column<T> => ({
  title: messages.common.actions,
  isTitleHidden: true,
  align: 'end',
  cell,
});

/** Roles are explicit, because rows that are styled as cards lose their meaning for screen readers. */
const ROLES = {
  table: { role: 'table' },
  group: { role: 'rowgroup' },
  row: { role: 'row' },
  head: { role: 'columnheader' },
  name: { role: 'rowheader' },
  cell: { role: 'cell' },
} as const;

export function Table<T>({ label, columns, rows, getKey }: TableProps<T>) {
  return (
    // Focusable, so that the keyboard can scroll it.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls
    <section className={styles.frame} aria-label={label} tabIndex={0}>
      <table {...ROLES.table} className={styles.table}>
        <thead {...ROLES.group}>
          <tr {...ROLES.row}>
            {columns.map(({ title, align, isTitleHidden }) => (
              <th
                key={title}
                {...ROLES.head}
                scope="col"
                className={classNames(align === 'end' && styles.end)}
              >
                {isTitleHidden ? <VisuallyHidden>{title}</VisuallyHidden> : title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody {...ROLES.group}>
          {rows.map(row => (
            <tr key={getKey(row)} {...ROLES.row}>
              {columns.map(({ title, cell, align, isTitleHidden }, index) => {
                const Cell = index === 0 ? 'th' : 'td';
                return (
                  <Cell
                    key={title}
                    {...(index === 0 ? { ...ROLES.name, scope: 'row' } : ROLES.cell)}
                    className={classNames(align === 'end' && styles.end)}
                    data-title={index === 0 || isTitleHidden ? undefined : title}
                  >
                    {cell(row)}
                  </Cell>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
