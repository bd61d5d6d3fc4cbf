// Prints the rows of the benchmark table.

export interface Row {
  readonly figure: string;
  readonly value: number;
  readonly unit: string;
  readonly target: { readonly value: number; readonly is: 'at least' | 'at most' };
  /** The baseline or peer measured in this run, in the same unit. */
  readonly baseline?: { readonly name: string; readonly value: number };
  readonly note?: string;
}

const formatNumber = (value: number): string =>
  value >= 100 ? value.toFixed(0) : value >= 1 ? value.toFixed(2) : value.toFixed(4);

const meetsTarget = ({ value, target }: Row): boolean =>
  target.is === 'at least' ? value >= target.value : value <= target.value;

export function printRow(row: Row): void {
  const { figure, value, unit, baseline, note } = row;
  const ratio =
    baseline === undefined
      ? ''
      : `; baseline ${baseline.name}: ${formatNumber(baseline.value)} ${unit}, ratio ${(value / baseline.value).toFixed(3)}`;
  process.stdout.write(
    `${figure}: ${formatNumber(value)} ${unit}${ratio}${note === undefined ? '' : ` (${note})`}\n`,
  );
}

export function printTable(rows: readonly Row[]): void {
  process.stdout.write(
    '\n| figure | measured | target | baseline | ratio | |\n| --- | --- | --- | --- | --- | --- |\n',
  );
  for (const row of rows) {
    const { figure, value, unit, target, baseline } = row;
    const baselineText =
      baseline === undefined ? '' : `${baseline.name}: ${formatNumber(baseline.value)} ${unit}`;
    const ratio = baseline === undefined ? '' : (value / baseline.value).toFixed(3);
    process.stdout.write(
      `| ${figure} | ${formatNumber(value)} ${unit} | ${target.is} ${formatNumber(target.value)} | ${baselineText} | ${ratio} | ${meetsTarget(row) ? 'met' : 'missed'} |\n`,
    );
  }
}
