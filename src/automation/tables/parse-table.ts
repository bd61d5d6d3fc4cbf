// Parses tables: CSV with common delimiters and encodings, and JSON lines.
import Papa, { type ParseConfig, type ParseResult } from 'papaparse';
import type { Json } from '../../graph/types.ts';
import { parseExactJson } from '../../lib/exact-numbers.ts';
import { findShapeProblem } from '../../lib/json-shape.ts';
import { pause } from '../../lib/pause.ts';
import { isRecord } from '../../lib/record.ts';
import type { Delimiter, TableFormat } from '../../store/automation/tables.ts';
import { decode, type EncodedFile } from './encoding.ts';
import type { RowProblem, TableRow } from './read-table.ts';
import {
  type CollectorOptions,
  MAX_COLUMNS,
  MAX_NAME_CHARACTERS,
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
  const chunks = decode(file);
  return (options.format ?? (looksLikeJson(file) ? 'jsonl' : 'csv')) === 'jsonl'
    ? parseJsonLines(chunks, file.encoding, options)
    : parseCsv(chunks, file.encoding, options);
}

function looksLikeJson({ head, encoding }: EncodedFile): boolean {
  return new TextDecoder(encoding).decode(head).trimStart().startsWith('{');
}

async function parseCsv(
  chunks: AsyncIterable<string>,
  encoding: string,
  options: TableOptions,
): Promise<ParsedTable> {
  const collector = new TableCollector(options);
  let delimiter = options.delimiter;
  let rest = '';
  let line = 1;
  let hasHeader = false;
  const parse = (text: string, isLastChunk: boolean): void => {
    delimiter ??= findDelimiter(text);
    const { rows, errors, end } = parseRows(text, DELIMITERS[delimiter], isLastChunk);
    for (const [index, cells] of rows.entries()) {
      if (hasHeader) addRow(collector, line, cells, errors.get(index));
      else
        collector.setColumns(
          line,
          cells.map(cell => cell.trim()),
        );
      hasHeader = true;
      line += 1 + cells.reduce((count, cell) => count + countLineBreaks(cell), 0);
    }
    rest = text.slice(end);
  };
  for await (const chunk of chunks) {
    rest += chunk;
    if (rest.length > CHUNK_BYTES) {
      // A line break may continue in the next chunk.
      const tail = rest.endsWith('\r') ? '\r' : '';
      parse(rest.slice(0, rest.length - tail.length), false);
      rest += tail;
      await collector.flush(false);
      await pause();
    }
    const problem = findRowProblem(rest, DELIMITERS[delimiter ?? 'comma']);
    if (problem === undefined) continue;
    collector.report(line, `${problem} ${NOT_READ}`);
    rest = '';
    break;
  }
  if (rest !== '') parse(rest, true);
  if (collector.columns.length === 0) collector.report(1, 'The table is empty.');
  await collector.flush(true);
  return toTable(collector, { format: 'csv', delimiter: delimiter ?? 'comma', encoding });
}

const MAX_ROW_CHARS = 1_000_000;
/** A longer row usually has an unclosed quote. */
const ROW_TOO_LONG = 'The row is longer than 1 MB. A quote may be missing.';
const NOT_READ = 'The rest of the file was not read.';

/** Finds out that a row is too large while it has not ended, before it is parsed. */
function findRowProblem(row: string, delimiter: string): string | undefined {
  if (row.length > MAX_ROW_CHARS) return ROW_TOO_LONG;
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
  for (let index = 0; index < text.length; index++) {
    const char = text[index];
    if (char === '\n' || (char === '\r' && text[index + 1] !== '\n')) count++;
  }
  return count;
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
    collector.report(line, `The row has ${cells.length} cells, but there are ${columns.length} columns.`);
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

/** Parses complete rows. The last one may continue in the next chunk. Ignores line breaks at the end of a file. */
function parseRows(text: string, delimiter: string, isLastChunk: boolean): CsvRows {
  const newline = findLineBreak(text);
  // `Papa.parse`, and a callback for each row, take eight times as much memory.
  const { data, errors, meta } = new Papa.Parser({ delimiter, newline } as ParseConfig).parse(
    text,
    0,
    !isLastChunk,
  ) as ParseResult<string[]>;
  let end: number = meta.cursor;
  // The file may end here.
  for (let breaks = 0; breaks < 2 && data.at(-1)?.join() === ''; breaks++) {
    data.pop();
    if (!isLastChunk) end -= newline.length;
  }
  // The first error of a row counts.
  const errorsByRow = new Map(errors.toReversed().map(({ row = 0, message }) => [row, message]));
  return { rows: data, errors: errorsByRow, end };
}

/** Returns the first line break outside of quotes. */
function findLineBreak(text: string): string {
  for (const [match] of text.matchAll(/"[^"]*(?:"|$)|\r\n|\n|\r/g)) if (!match.startsWith('"')) return match;
  return '\n';
}

/** Returns the delimiter with which most of the first lines have the same number of columns, and many columns. */
function findDelimiter(text: string): Delimiter {
  const lines = text
    .slice(0, CHUNK_BYTES)
    .split(/\r\n|\n|\r/, 20)
    .filter(line => line !== '');
  const scores = (Object.keys(DELIMITERS) as Delimiter[]).map(name => {
    const { data } = Papa.parse<string[]>(lines.join('\n'), { delimiter: DELIMITERS[name] });
    const [header = [], ...rows] = data;
    const matchingRows = rows.filter(cells => cells.length === header.length).length;
    return { name, score: header.length < 2 ? 0 : header.length * (1 + matchingRows) };
  });
  return scores.reduce((best, candidate) => (candidate.score > best.score ? candidate : best)).name;
}

async function parseJsonLines(
  chunks: AsyncIterable<string>,
  encoding: string,
  options: TableOptions,
): Promise<ParsedTable> {
  const collector = new TableCollector(options);
  const columnIndexes = new Map<string, number>();
  let line = 0;
  let rest = '';
  /** Returns the problem of the line. */
  const addLine = (text: string): string | undefined => {
    const value = parseObject(text);
    if (typeof value === 'string') return value;
    const names = Object.keys(value);
    for (const name of names) {
      if (name.length > MAX_NAME_CHARACTERS)
        return `A member's name is longer than ${MAX_NAME_CHARACTERS} characters.`;
      if (columnIndexes.has(name)) continue;
      if (columnIndexes.size === MAX_COLUMNS) return `There are more than ${MAX_COLUMNS} different members.`;
      columnIndexes.set(name, columnIndexes.size);
    }
    const cells: Json[] = [];
    for (const name of names) cells[columnIndexes.get(name) ?? 0] = value[name] as Json;
    collector.add(
      line,
      Array.from(cells, cell => cell ?? ''),
      text.length,
    );
    return undefined;
  };
  const parseLine = (text: string): void => {
    line++;
    const problem = addLine(text);
    if (problem !== undefined) collector.report(line, problem);
  };
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split(/\r\n|\n/);
    rest = lines.pop() ?? '';
    for (const text of lines) {
      parseLine(text);
      await pause();
    }
    if (rest.length > MAX_ROW_CHARS) {
      collector.report(line + 1, `${ROW_TOO_LONG} ${NOT_READ}`);
      rest = '';
      break;
    }
    await collector.flush(false);
    await pause();
  }
  if (rest.trim() !== '') parseLine(rest);
  await collector.flush(true);
  collector.columns = [...columnIndexes.keys()];
  return toTable(collector, { format: 'jsonl', delimiter: null, encoding });
}

/** The maximum number of values in a line. Parsing numbers exactly takes up to 3 µs each. */
const MAX_LINE_VALUES = 20_000;

/** Returns the object, or the problem of the line. */
function parseObject(text: string): Record<string, unknown> | string {
  if (text.trim() === '') return 'The line is empty.';
  const problem = findShapeProblem(Buffer.from(text), MAX_LINE_VALUES);
  if (problem !== undefined) return `The line ${problem}.`;
  try {
    const value = parseExactJson(text);
    return isRecord(value) ? value : NO_OBJECT;
  } catch {
    return NO_OBJECT;
  }
}

const NO_OBJECT = 'The line is not a JSON object.';

function toTable(
  { columns, total, sample, problems }: TableCollector,
  form: Pick<ParsedTable, 'format' | 'delimiter' | 'encoding'>,
): ParsedTable {
  return { ...form, columns, total, sample, problems };
}
