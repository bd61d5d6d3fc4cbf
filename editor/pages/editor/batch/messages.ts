// Defines the texts of the dialog that runs the workflow over many rows.
import { formatNumber } from '../../../lib/format.ts';

const rows = (count: number): string => `${formatNumber(count)} ${count === 1 ? 'row' : 'rows'}`;

export const messages = {
  title: 'Run over a table',
  sources: 'Source of the rows',
  tabs: { table: 'Table', values: 'Combinations' },
  cells: 'Cells',
  cellsHint: 'Paste cells from a spreadsheet. The first row names the columns.',
  read: 'Read cells',
  choose: 'Choose a file',
  drop: 'or drop a CSV, TSV or JSON lines file here',
  tableSummary: (name: string, total: number, columns: number) =>
    `${name}: ${rows(total)}, ${formatNumber(columns)} ${columns === 1 ? 'column' : 'columns'}`,
  pasted: 'Pasted cells',
  encoding: 'Encoding of the file',
  firstRows: 'First rows',
  row: 'Row',
  mapping: 'Which column feeds each input?',
  fromBoard: 'Value on the board',
  key: 'Name of each row',
  rowNumber: 'Row number',
  noInputs: 'The workflow has no input nodes. Add one, such as Text, or vary settings under Combinations.',
  noMapping: 'Choose a column for at least one input.',
  vary: (number: number) => `What to vary (${number})`,
  inputs: 'Inputs',
  values: 'Values, one per line',
  choices: 'Values',
  add: 'Vary something else',
  remove: 'Remove',
  combinations: (counts: readonly number[]) =>
    `${counts.map(formatNumber).join(' × ')} = ${rows(counts.reduce((product, count) => product * count, 1))}`,
  noValues: 'Enter at least one value for each.',
  nothingToVary: 'The workflow has no inputs or settings to vary.',
  maxCredits: 'Maximum credits for the batch',
  maxCreditsHint: 'The batch stops before a row that would exceed it. Empty: no limit.',
  maxCreditsNeeded: 'The price is known only after each run. Enter a limit.',
  invalidNumber: 'Enter a whole number.',
  concurrency: 'Rows at the same time',
  concurrencyRange: 'Enter a number from 1 to 100.',
  estimating: 'Checking the rows…',
  cost: (credits: string, count: number) => `${credits} for ${rows(count)}`,
  problems: 'Fix these rows first',
  more: (count: number) => (count === 1 ? '1 more problem' : `${formatNumber(count)} more problems`),
  runFirst: (count: number) => `Run ${count} first`,
  run: (count: number | undefined) => (count === undefined ? 'Run' : `Run ${rows(count)}`),
};
