// Parses tables: CSV with common delimiters and encodings, and JSON lines.
import Papa, { type ParseConfig, type ParseResult } from 'papaparse';
import type { Json } from '../../graph/types.ts';
import { parseExactJson } from '../../lib/exact-numbers.ts';
import { pause } from '../../lib/pause.ts';
import { isRecord } from '../../lib/record.ts';
import type { Delimiter, TableFormat } from '../../store/automation/tables.ts';
import { decode, type EncodedFile } from './encoding.ts';
import type { RowProblem, TableRow } from './read-table.ts';

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

export interface TableOptions {
  /** Detected from the content by default. */
  readonly format?: TableFormat | undefined;
  readonly delimiter?: Delimiter | undefined;
  /** Further rows are only counted. */
  readonly maxRows: number;
  /** Receives the rows in order, several at a time. */
  readonly onRows: (rows: readonly TableRow[]) => Promise<void>;
}

const CHUNK_BYTES = 32_768;
const MAX_COLUMNS = 1000;
const MAX_PROBLEMS = 1000;

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

/** The number of characters at which rows are passed to `onRows`. */
const FLUSH_CHARACTERS = 40_000;
const SAMPLE_ROWS = 20;

/** Collects the rows and problems of a table. */
class TableCollector {
  columns: readonly string[] = [];
  total = 0;
  readonly sample: TableRow[] = [];
  readonly problems: RowProblem[] = [];
  readonly #options: TableOptions;
  #rows: TableRow[] = [];
  #characters = 0;

  constructor(options: TableOptions) {
    this.#options = options;
  }

  /** Adds a row. `characters` is the length of the row in the file. */
  add(line: number, cells: readonly Json[], characters: number): void {
    this.total++;
    if (this.total > this.#options.maxRows) return;
    const row = { line, cells };
    if (this.sample.length < SAMPLE_ROWS) this.sample.push(row);
    this.#rows.push(row);
    this.#characters += characters;
  }

  /** Passes the rows to `onRows` if there are many, or if the table ends. */
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
      else readHeader(collector, line, cells);
      hasHeader = true;
      line += 1 + cells.reduce((count, cell) => count + countLineBreaks(cell), 0);
    }
    rest = text.slice(end);
  };
  for await (const chunk of chunks) {
    rest += chunk;
    // A line break may continue in the next chunk.
    if (rest.length > CHUNK_BYTES && !rest.endsWith('\r')) {
      parse(rest, false);
      await collector.flush(false);
      await pause();
    }
    if (rest.length > MAX_ROW_CHARS) {
      collector.report(line, ROW_TOO_LONG);
      rest = '';
      break;
    }
  }
  if (rest !== '') parse(rest, true);
  if (collector.columns.length === 0) collector.report(1, 'The table is empty.');
  await collector.flush(true);
  return toTable(collector, { format: 'csv', delimiter: delimiter ?? 'comma', encoding });
}

/** A longer row usually has an unclosed quote. The row and the rest of the file are not read. */
const MAX_ROW_CHARS = 1_000_000;
const ROW_TOO_LONG =
  'The row is longer than 1 MB. A quote may be missing. The rest of the file was not read.';

const countLineBreaks = (text: string): number => text.match(/\r\n|\n|\r/g)?.length ?? 0;

function readHeader(collector: TableCollector, line: number, cells: readonly string[]): void {
  collector.columns = cells.slice(0, MAX_COLUMNS).map(cell => cell.trim());
  if (cells.length > MAX_COLUMNS) collector.report(line, `The table has more than ${MAX_COLUMNS} columns.`);
  const usedNames = new Set<string>();
  for (const [index, name] of collector.columns.entries()) {
    if (name === '') collector.report(line, `Column ${index + 1} has no name.`);
    else if (usedNames.has(name)) collector.report(line, `The column ${JSON.stringify(name)} appears twice.`);
    usedNames.add(name);
  }
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
  const parseLine = (text: string): void => {
    line++;
    const value = parseObject(text);
    const names = Object.keys(value ?? {});
    for (const name of names) columnIndexes.set(name, columnIndexes.get(name) ?? columnIndexes.size);
    if (text.trim() === '') collector.report(line, 'The line is empty.');
    else if (value === undefined) collector.report(line, 'The line is not a JSON object.');
    else if (columnIndexes.size > MAX_COLUMNS)
      collector.report(line, `There are more than ${MAX_COLUMNS} different members.`);
    else {
      const cells: Json[] = [];
      for (const name of names) cells[columnIndexes.get(name) ?? 0] = value[name] as Json;
      collector.add(
        line,
        Array.from(cells, cell => cell ?? ''),
        text.length,
      );
    }
  };
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split(/\r\n|\n/);
    rest = lines.pop() ?? '';
    for (const text of lines) parseLine(text);
    if (rest.length > MAX_ROW_CHARS) {
      collector.report(line + 1, ROW_TOO_LONG);
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

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value = parseExactJson(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function toTable(
  { columns, total, sample, problems }: TableCollector,
  form: Pick<ParsedTable, 'format' | 'delimiter' | 'encoding'>,
): ParsedTable {
  return { ...form, columns, total, sample, problems };
}
