// Collects the columns, rows and problems of a table while it is parsed, within limits.
import type { Json } from '../../graph/types.ts';
import { cutText } from '../../lib/cut-text.ts';
import type { RowProblem, TableRow } from './read-table.ts';

export const MAX_COLUMNS = 1000;
/** The maximum length of a column's name. */
export const MAX_NAME_CHARACTERS = 200;
export const MAX_ROW_CHARACTERS = 1_000_000;
/** A longer row usually has an unclosed quote. */
export const ROW_TOO_LONG = 'The row is longer than 1 MB. A quote may be missing.';
export const NOT_READ = 'The rest of the file was not read.';
const MAX_PROBLEMS = 1000;
const SAMPLE_ROWS = 20;
/** The approximate size of the sample. The cells of wide tables are cut to fewer characters. */
const SAMPLE_CHARACTERS = 200_000;
const MAX_SAMPLE_CELL = 500;
const MIN_SAMPLE_CELL = 20;
/** The number of characters at which rows are passed on. */
const FLUSH_CHARACTERS = 40_000;

export interface CollectorOptions {
  /** Further rows are only counted. */
  readonly maxRows: number;
  /** Receives the rows in order, several at a time. */
  readonly onRows: (rows: readonly TableRow[]) => Promise<void>;
}

export class TableCollector {
  columns: readonly string[] = [];
  total = 0;
  readonly sample: TableRow[] = [];
  readonly problems: RowProblem[] = [];
  readonly #options: CollectorOptions;
  #rows: TableRow[] = [];
  #characters = 0;

  constructor(options: CollectorOptions) {
    this.#options = options;
  }

  /** Sets the columns of a table with a header. */
  setColumns(line: number, names: readonly string[]): void {
    if (names.length > MAX_COLUMNS) this.report(line, `The table has more than ${MAX_COLUMNS} columns.`);
    const usedNames = new Set<string>();
    this.columns = names.slice(0, MAX_COLUMNS).map((name, index) => {
      const column = cutText(name, MAX_NAME_CHARACTERS);
      if (name.length > MAX_NAME_CHARACTERS)
        this.report(
          line,
          `The name of column ${index + 1} is longer than ${MAX_NAME_CHARACTERS} characters.`,
        );
      else if (name === '') this.report(line, `Column ${index + 1} has no name.`);
      else if (usedNames.has(name)) this.report(line, `The column ${JSON.stringify(name)} appears twice.`);
      usedNames.add(column);
      return column;
    });
  }

  /** Adds a row. `characters` is the length of the row in the file. */
  add(line: number, cells: readonly Json[], characters: number): void {
    this.total++;
    if (this.total > this.#options.maxRows) return;
    const row = { line, cells: cells.slice(0, MAX_COLUMNS) };
    if (this.sample.length < SAMPLE_ROWS) this.sample.push(toSample(row));
    this.#rows.push(row);
    this.#characters += characters;
  }

  /** Passes the rows on if there are many, or if the table ends. */
  async flush(isEnd: boolean): Promise<void> {
    if (this.#rows.length === 0 || (!isEnd && this.#characters < FLUSH_CHARACTERS)) return;
    const rows = this.#rows;
    this.#rows = [];
    this.#characters = 0;
    await this.#options.onRows(rows);
  }

  report(line: number, message: string): void {
    if (this.problems.length < MAX_PROBLEMS) this.problems.push({ line, message });
  }
}

/** Cuts long cells. A JSON value that is cut becomes text. */
function toSample({ line, cells }: TableRow): TableRow {
  const share = Math.floor(SAMPLE_CHARACTERS / SAMPLE_ROWS / Math.max(1, cells.length));
  const maxLength = Math.min(MAX_SAMPLE_CELL, Math.max(MIN_SAMPLE_CELL, share));
  const cut = (cell: Json): Json => {
    const text = typeof cell === 'string' ? cell : JSON.stringify(cell);
    return text.length <= maxLength ? cell : `${cutText(text, maxLength)}…`;
  };
  return { line, cells: cells.map(cut) };
}
