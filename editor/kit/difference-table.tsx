// Renders the values in which two things differ, in a column for each.
import styles from './difference-table.module.css';

interface DifferenceTableProps {
  /** The headings of the column of names and of the two columns of values. */
  readonly headings: readonly [name: string, first: string, second: string];
  /** A value that is null or undefined is shown as a dash. */
  readonly rows: readonly (readonly [name: string, first: Value, second: Value])[];
}

type Value = string | number | null | undefined;

export const DifferenceTable = ({ headings: [name, first, second], rows }: DifferenceTableProps) => (
  <table className={styles.differences}>
    <thead>
      <tr>
        <th scope="col">{name}</th>
        <th scope="col">{first}</th>
        <th scope="col">{second}</th>
      </tr>
    </thead>
    <tbody>
      {rows.map(([rowName, firstValue, secondValue]) => (
        <tr key={rowName}>
          <th scope="row">{rowName}</th>
          <td>{firstValue ?? '–'}</td>
          <td>{secondValue ?? '–'}</td>
        </tr>
      ))}
    </tbody>
  </table>
);
