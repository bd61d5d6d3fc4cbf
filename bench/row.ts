// A line of the benchmark's table.

export interface Row {
  readonly figure: string;
  readonly value: number;
  readonly unit: string;
  /** What it is to reach, by the issue that asked for it. */
  readonly reach: { readonly value: number; readonly is: 'at least' | 'at most' };
  /** The limit or peer measured in this run, in the same unit. */
  readonly against?: { readonly name: string; readonly value: number };
  readonly note?: string;
}

const format = (value: number): string =>
  value >= 100 ? value.toFixed(0) : value >= 1 ? value.toFixed(2) : value.toFixed(4);

const isReached = ({ value, reach }: Row): boolean =>
  reach.is === 'at least' ? value >= reach.value : value <= reach.value;

export function printRow(row: Row): void {
  const { figure, value, unit, against, note } = row;
  const ratio =
    against === undefined
      ? ''
      : `; against ${against.name}: ${format(against.value)} ${unit}, ratio ${(value / against.value).toFixed(3)}`;
  process.stdout.write(
    `${figure}: ${format(value)} ${unit}${ratio}${note === undefined ? '' : ` (${note})`}\n`,
  );
}

export function printTable(rows: readonly Row[]): void {
  process.stdout.write(
    '\n| figure | measured | reach | against | ratio | |\n| --- | --- | --- | --- | --- | --- |\n',
  );
  for (const row of rows) {
    const { figure, value, unit, reach, against } = row;
    const againstText = against === undefined ? '' : `${against.name}: ${format(against.value)} ${unit}`;
    const ratio = against === undefined ? '' : (value / against.value).toFixed(3);
    process.stdout.write(
      `| ${figure} | ${format(value)} ${unit} | ${reach.is} ${format(reach.value)} | ${againstText} | ${ratio} | ${isReached(row) ? 'reached' : 'missed'} |\n`,
    );
  }
}
