// Parses tables: CSV with common delimiters, JSON lines, and JSON arrays of objects.

import Papa, { type ParseConfig, type ParseResult } from 'papaparse';
import { formatCount } from '../../graph/format-count.ts';
import { yieldTurn } from '../../lib/yield-turn.ts';
import { decode, type EncodedFile } from './encoding.ts';
import { normalizeLineEnds } from './line-ends.ts';
import { parseJsonArray, parseJsonLines } from './parse-json.ts';
import type { RowProblem, TableRow } from './read-table.ts';
import { findSpacedQuotes } from './spaced-quotes.ts';
import type { Delimiter, TableFormat } from './store.ts';
import {
  type CollectorOptions,
  MAX_COLUMNS,
  MAX_ROW_CHARACTERS,
  NOT_READ,
  ROW_TOO_LONG,
  TableCollector,
} from './table-collector.ts';

export interface ParsedTable {
  readonly format: TableFormat;
  readonly delimiter: Delimiter | null;
  readonly encoding: string;
  readonly columns: readonly string[];
  readonly total: number;
  /** The first rows. */
  readonly sample: readonly TableRow[];
  readonly problems: readonly RowProblem[];
}

const DELIMITERS: Readonly<Record<Delimiter, string>> = { comma: ',', semicolon: ';', tab: '\t' };

export interface TableOptions extends CollectorOptions {
  /** Detected from the content by default. */
  readonly format?: TableFormat | undefined;
  readonly delimiter?: Delimiter | undefined;
}

const CHUNK_BYTES = 32_768;

/** Parses the file chunk by chunk, and handles other requests in between. */
export async function parseTable(file: EncodedFile, options: TableOptions): Promise<ParsedTable> {
  const collector = new TableCollector(options);
  const chunks = normalizeLineEnds(decode(file));
  const head = new TextDecoder(file.encoding).decode(file.head);
  const format = options.format ?? (JSON_START.test(head) ? 'jsonl' : 'csv');
  let delimiter: Delimiter | null = null;
  if (format === 'csv') delimiter = await parseCsv(chunks, collector, readSeparator(head), options.delimiter);
  else if (ARRAY_START.test(head)) await parseJsonArray(chunks, collector);
  else await parseJsonLines(chunks, collector);
  await collector.flush(true);
  const { columns, total, sample, problems } = collector;
  return { format, delimiter, encoding: file.encoding, columns, total, sample, problems };
}

const JSON_START = /^\s*(?:\[\s*)?\{\s*(?:["}]|$)/;
/** Lines of JSON may also be arrays, which are no rows. */
const ARRAY_START = /^\s*\[\s*(?:[{\]]|$)/;

interface Separator {
  /** Undefined if it is not supported. */
  readonly delimiter: Delimiter | undefined;
  readonly text: string;
}

/** Returns the separator that the first line names, as Excel writes it: `sep=;`. */
function readSeparator(head: string): Separator | undefined {
  const text = /^"?sep=([^\r\n])"?,*[\r\n]/i.exec(head)?.[1];
  if (text === undefined) return undefined;
  const names = Object.keys(DELIMITERS) as Delimiter[];
  return { delimiter: names.find(name => DELIMITERS[name] === text), text };
}

/** Returns the delimiter. */
async function parseCsv(
  chunks: AsyncIterable<string>,
  collector: TableCollector,
  separator: Separator | undefined,
  requestedDelimiter: Delimiter | undefined,
): Promise<Delimiter> {
  let delimiter = requestedDelimiter ?? separator?.delimiter;
  if (separator !== undefined && delimiter === undefined)
    collector.report(
      1,
      `The separator ${JSON.stringify(separator.text)} is not supported. Use a comma, semicolon or tab.`,
    );
  let isSeparatorLine = separator !== undefined;
  let rest = '';
  let line = 1;
  let hasHeader = false;
  const parse = (text: string, isLastChunk: boolean): void => {
    delimiter ??= findDelimiter(text);
    const { rows, errors, end } = parseRows(text, DELIMITERS[delimiter], isLastChunk);
    const spacedRows = findSpacedQuotes(text, DELIMITERS[delimiter]);
    for (const [index, cells] of rows.entries()) {
      const isBlank = cells.every(cell => BLANK.test(cell));
      if (spacedRows.has(index))
        collector.report(line, 'A cell begins with a space and a quote. Remove the space before the quote.');
      if (hasHeader)
        addRow(collector, line, dropEmptyEnd(cells, collector.columns.length), errors.get(index));
      else if (!isBlank)
        collector.setColumns(
          line,
          dropEmptyEnd(cells, 0).map(cell => cell.trim()),
        );
      hasHeader ||= !isBlank;
      line += 1 + cells.reduce((count, cell) => count + countLineBreaks(cell), 0);
    }
    rest = text.slice(end);
  };
  for await (const chunk of chunks) {
    rest += chunk;
    if (isSeparatorLine && rest.includes('\n')) {
      rest = rest.slice(rest.indexOf('\n') + 1);
      line++;
      isSeparatorLine = false;
    }
    if (rest.length > CHUNK_BYTES) {
      parse(rest, false);
      await collector.flush(false);
      await yieldTurn();
    }
    const problem = findRowProblem(rest, DELIMITERS[delimiter ?? 'comma']);
    if (problem === undefined) continue;
    collector.report(line, `${problem} ${NOT_READ}`);
    rest = '';
    break;
  }
  if (rest !== '') parse(rest, true);
  if (collector.columns.length === 0) collector.report(1, 'The table is empty.');
  return delimiter ?? 'comma';
}

/** Finds out that a row is too large while it has not ended, before it is parsed. */
function findRowProblem(row: string, delimiter: string): string | undefined {
  if (row.length > MAX_ROW_CHARACTERS) return ROW_TOO_LONG;
  if (row.length <= CHUNK_BYTES) return undefined;
  let cells = 1;
  for (let index = 0; index < row.length; index++) {
    if (row[index] === '"') index = findQuoteEnd(row, index);
    else if (row[index] === delimiter) cells++;
  }
  return cells > MAX_COLUMNS ? `The row has more than ${MAX_COLUMNS} cells.` : undefined;
}

/** Returns the index of the next quote, or the length. A quote inside a cell is doubled, so that two parts follow. */
function findQuoteEnd(row: string, start: number): number {
  const end = row.indexOf('"', start + 1);
  return end === -1 ? row.length : end;
}

function countLineBreaks(text: string): number {
  let count = 0;
  for (let index = text.indexOf('\n'); index !== -1; index = text.indexOf('\n', index + 1)) count++;
  return count;
}

/** Drops empty cells at the end beyond this length: some programs end each row with a delimiter, or with several. */
function dropEmptyEnd(cells: readonly string[], minLength: number): readonly string[] {
  let { length } = cells;
  while (length > minLength && cells[length - 1] === '') length--;
  return length === cells.length ? cells : cells.slice(0, length);
}

function addRow(
  collector: TableCollector,
  line: number,
  cells: readonly string[],
  error: string | undefined,
): void {
  const { columns } = collector;
  if (error !== undefined) collector.report(line, `The row cannot be read: ${error}.`);
  else if (cells.every(cell => cell === '')) collector.report(line, 'The row is empty.');
  else if (cells.length !== columns.length)
    collector.report(
      line,
      `The row has ${formatCount(cells.length, 'cell')}, but the table has ${formatCount(columns.length, 'column')}.` +
        (cells.length > columns.length ? ' Put texts that contain the separator in quotes.' : ''),
    );
  collector.add(
    line,
    cells,
    cells.reduce((length, cell) => length + cell.length + 1, 0),
  );
}

interface CsvRows {
  readonly rows: readonly (readonly string[])[];
  /** By the index of the row. */
  readonly errors: ReadonlyMap<number, string>;
  /** The index in the text after the last row. */
  readonly end: number;
}

const QUOTE_ERRORS: Readonly<Record<string, string>> = {
  MissingQuotes: 'a quote begins a cell and does not end, so that the rest of the file is in this cell',
  InvalidQuotes: 'a cell goes on after the quote that ends it. Inside a cell, write two quotes for one',
};

/** Parses complete rows. The last one may continue in the next chunk. Ignores line breaks at the end of a file. */
function parseRows(text: string, delimiter: string, isLastChunk: boolean): CsvRows {
  // `Papa.parse`, and a callback for each row, take eight times as much memory.
  const { data, errors, meta } = new Papa.Parser({ delimiter, newline: '\n' } as ParseConfig).parse(
    text,
    0,
    !isLastChunk,
  ) as ParseResult<string[]>;
  let end: number = meta.cursor;
  // The file may end here.
  for (let breaks = 0; breaks < 2 && data.at(-1)?.join() === ''; breaks++) {
    data.pop();
    if (!isLastChunk) end--;
  }
  // The first error of a row counts.
  const errorsByRow = new Map(
    errors.toReversed().map(({ row = 0, code, message }) => [row, QUOTE_ERRORS[code] ?? message]),
  );
  return { rows: data, errors: errorsByRow, end };
}

/** Excel saves an empty row as a line of delimiters. If all rows are empty, the delimiter is not known. */
const BLANK = /^[\s,;]*$/;

/** Returns the delimiter with which most of the first lines have the same number of columns, and many columns. */
function findDelimiter(text: string): Delimiter {
  const lines = text
    .slice(0, CHUNK_BYTES)
    .split('\n')
    .filter(line => !BLANK.test(line))
    .slice(0, 20);
  const scores = (Object.keys(DELIMITERS) as Delimiter[]).map(name => {
    const { data } = Papa.parse<string[]>(lines.join('\n'), { delimiter: DELIMITERS[name] });
    const [header = [], ...rows] = data;
    const matchingRows = rows.filter(cells => cells.length === header.length).length;
    return { name, score: header.length < 2 ? 0 : header.length * (1 + matchingRows) };
  });
  return scores.reduce((best, candidate) => (candidate.score > best.score ? candidate : best)).name;
}
