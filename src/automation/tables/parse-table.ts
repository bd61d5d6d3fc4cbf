// Parses tables: CSV with any usual delimiter and encoding, and JSON lines.
import { isUtf8 as isUtf8Text } from 'node:buffer';
import { StringDecoder } from 'node:string_decoder';
import { setImmediate as nextTurn } from 'node:timers/promises';
import Papa from 'papaparse';
import type { Json } from '../../graph/types.ts';
import { parseExactJson } from '../../lib/exact-numbers.ts';
import { freeBuffer } from '../../lib/freeing.ts';
import { isRecord } from '../../lib/record.ts';
import type { Delimiter, TableFormat } from '../../store/automation/tables.ts';
import type { Problem, TableLine } from './read-table.ts';

export interface ParsedTable {
  readonly format: TableFormat;
  readonly delimiter: Delimiter | null;
  readonly encoding: string;
  readonly columns: readonly string[];
  readonly total: number;
  /** The first rows. */
  readonly sample: readonly TableLine[];
  readonly problems: readonly Problem[];
}

const DELIMITERS: Readonly<Record<Delimiter, string>> = { comma: ',', semicolon: ';', tab: '\t' };

export interface TableOptions {
  /** Default: found from the content. */
  readonly format?: TableFormat | undefined;
  readonly delimiter?: Delimiter | undefined;
  /** Rows beyond it are only counted. */
  readonly maxRows: number;
  /** Called with the rows in order, some at a time. */
  readonly onLines: (lines: readonly TableLine[]) => Promise<void>;
}

const CHUNK_BYTES = 65_536;
const MAX_COLUMNS = 1000;
const MAX_PROBLEMS = 1000;

/** Decodes and parses the file part by part, so that other requests get their turn. Empties `parts`. */
export async function parseTable(parts: Uint8Array[], options: TableOptions): Promise<ParsedTable> {
  const head = Buffer.concat(parts.slice(0, 2)).subarray(0, HEAD_BYTES);
  const { encoding, start } = await findEncoding(parts, head);
  const chunks = decode(parts, encoding, start);
  return (options.format ?? (looksLikeJson(head.subarray(start), encoding) ? 'jsonl' : 'csv')) === 'jsonl'
    ? parseJsonLines(chunks, encoding, options)
    : parseCsv(chunks, encoding, options);
}

const HEAD_BYTES = 4096;

const MARKS: readonly (readonly [encoding: string, bytes: readonly number[]])[] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

/** Finds the encoding by the byte order mark, or whether the bytes are valid UTF-8; anything else is GB 18030. */
async function findEncoding(
  parts: readonly Uint8Array[],
  head: Uint8Array,
): Promise<{ readonly encoding: string; readonly start: number }> {
  for (const [encoding, bytes] of MARKS)
    if (bytes.every((byte, index) => head[index] === byte)) return { encoding, start: bytes.length };
  const halves = countZeros(head);
  if (halves.odd > 4 && halves.odd > 10 * halves.even) return { encoding: 'utf-16le', start: 0 };
  if (halves.even > 4 && halves.even > 10 * halves.odd) return { encoding: 'utf-16be', start: 0 };
  return { encoding: (await isUtf8(parts)) ? 'utf-8' : 'gb18030', start: 0 };
}

async function isUtf8(parts: readonly Uint8Array[]): Promise<boolean> {
  // The start of a character that continues in the next part.
  let carried: Uint8Array = new Uint8Array();
  for (const [index, part] of parts.entries()) {
    let start = 0;
    if (carried.length > 0) {
      while (start < 3 && ((part[start] ?? 0) & 0xc0) === 0x80) start++;
      const character = Buffer.concat([carried, part.subarray(0, start)]);
      const isShort = start === part.length && character.length < 4;
      if (!isUtf8Text(character) && !isShort) return false;
      carried = isUtf8Text(character) ? new Uint8Array() : character;
      if (carried.length > 0) continue;
    }
    const end = findIncompleteEnd(part);
    if (!isUtf8Text(part.subarray(start, Math.max(start, end)))) return false;
    carried = part.subarray(Math.max(start, end));
    if (index % 64 === 63) await nextTurn();
  }
  return carried.length === 0;
}

/** Returns the index of the last character if its bytes are not all there, else the length. */
function findIncompleteEnd(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

/** Counts zero bytes at even and odd places: UTF-16 text without a mark has many on one side. */
function countZeros(bytes: Uint8Array): { readonly even: number; readonly odd: number } {
  let even = 0;
  let odd = 0;
  for (let index = 0; index < bytes.length; index++) {
    if (bytes[index] !== 0) continue;
    if (index % 2 === 0) even++;
    else odd++;
  }
  return { even, odd };
}

/** Yields the text of the parts after `start` bytes, and removes each part from the list. */
function* decode(parts: Uint8Array[], encoding: string, start: number): Generator<string> {
  const write = createDecoder(encoding);
  parts.reverse();
  let skipped = start;
  for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
    for (let at = Math.min(skipped, part.length); at < part.length; at += CHUNK_BYTES)
      yield write(part.subarray(at, at + CHUNK_BYTES));
    skipped = Math.max(0, skipped - part.length);
    freeBuffer(part);
  }
  yield write();
}

/** A TextDecoder keeps several times the size of each text outside of the heap, where it is collected late. */
function createDecoder(encoding: string): (bytes?: Uint8Array) => string {
  if (encoding === 'utf-8') {
    const decoder = new StringDecoder('utf8');
    return bytes => (bytes === undefined ? decoder.end() : decoder.write(bytes));
  }
  const decoder = new TextDecoder(encoding, { ignoreBOM: true });
  return bytes => (bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true }));
}

function looksLikeJson(bytes: Uint8Array, encoding: string): boolean {
  const text = new TextDecoder(encoding).decode(bytes);
  return text.trimStart().startsWith('{');
}

/** Rows are handed on when they have this many characters. */
const FLUSHED_CHARACTERS = 100_000;
const SAMPLE_ROWS = 20;

class Collector {
  columns: readonly string[] = [];
  total = 0;
  readonly sample: TableLine[] = [];
  readonly problems: Problem[] = [];
  readonly #options: TableOptions;
  #lines: TableLine[] = [];
  #characters = 0;

  constructor(options: TableOptions) {
    this.#options = options;
  }

  /** `characters`: the length of the row in the file. */
  add(line: number, cells: readonly Json[], characters: number): void {
    this.total++;
    if (this.total > this.#options.maxRows) return;
    const row = { line, cells };
    if (this.sample.length < SAMPLE_ROWS) this.sample.push(row);
    this.#lines.push(row);
    this.#characters += characters;
  }

  /** Hands the rows on if they are many, or with `isEnd` in any case. */
  async flush(isEnd: boolean): Promise<void> {
    if (this.#lines.length === 0 || (!isEnd && this.#characters < FLUSHED_CHARACTERS)) return;
    const lines = this.#lines;
    this.#lines = [];
    this.#characters = 0;
    await this.#options.onLines(lines);
  }

  report(line: number, message: string): void {
    if (this.problems.length < MAX_PROBLEMS) this.problems.push({ line, message });
  }
}

interface CsvRecord {
  readonly cells: readonly string[];
  /** The index in the text after the record and its line break. */
  readonly end: number;
  readonly fault: string | undefined;
}

async function parseCsv(
  chunks: Iterable<string>,
  encoding: string,
  options: TableOptions,
): Promise<ParsedTable> {
  const collector = new Collector(options);
  let delimiter = options.delimiter;
  let rest = '';
  let line = 1;
  let hasHeader = false;
  const parse = (text: string, isLastChunk: boolean): void => {
    delimiter ??= findDelimiter(text);
    const records: CsvRecord[] = [];
    Papa.parse<string[]>(text, {
      delimiter: DELIMITERS[delimiter],
      step: ({ data, errors, meta }) => {
        records.push({ cells: data, end: meta.cursor, fault: errors[0]?.message });
      },
    });
    // The last record may continue in the next chunk.
    if (!isLastChunk) records.pop();
    let start = 0;
    for (const { cells, end, fault } of records) {
      const isAtEnd = isLastChunk && end >= text.length;
      if (!hasHeader) {
        hasHeader = true;
        readHeader(collector, line, cells);
      } else addRecord(collector, line, cells, { isAtEnd, fault, characters: end - start });
      line += countLineBreaks(text.slice(start, end));
      start = end;
    }
    rest = text.slice(start);
  };
  for (const chunk of chunks) {
    rest += chunk;
    if (rest.length > CHUNK_BYTES) {
      parse(rest, false);
      await collector.flush(false);
      await nextTurn();
    }
    if (rest.length > MAX_RECORD_CHARS) {
      collector.report(line, TOO_LONG);
      rest = '';
      break;
    }
  }
  if (rest !== '') parse(rest, true);
  if (collector.columns.length === 0) collector.report(1, 'The table is empty.');
  await collector.flush(true);
  return toTable(collector, { format: 'csv', delimiter: delimiter ?? 'comma', encoding });
}

/** A longer record usually has a quote that is never closed. It is not read to its end, and nothing after it. */
const MAX_RECORD_CHARS = 1_000_000;
const TOO_LONG = 'The row is longer than 1 MB. A quote may be missing. The rest of the file was not read.';

const countLineBreaks = (text: string): number => text.match(/\r\n|\n|\r/g)?.length ?? 0;

function readHeader(collector: Collector, line: number, cells: readonly string[]): void {
  collector.columns = cells.slice(0, MAX_COLUMNS).map(cell => cell.trim());
  if (cells.length > MAX_COLUMNS) collector.report(line, `The table has more than ${MAX_COLUMNS} columns.`);
  const seen = new Set<string>();
  for (const [index, name] of collector.columns.entries()) {
    if (name === '') collector.report(line, `Column ${index + 1} has no name.`);
    else if (seen.has(name)) collector.report(line, `The column ${JSON.stringify(name)} appears twice.`);
    seen.add(name);
  }
}

function addRecord(
  collector: Collector,
  line: number,
  cells: readonly string[],
  {
    isAtEnd,
    fault,
    characters,
  }: { readonly isAtEnd: boolean; readonly fault: string | undefined; readonly characters: number },
): void {
  const { columns } = collector;
  const isEmpty = cells.every(cell => cell === '');
  // A file may end with a line break.
  if (isEmpty && isAtEnd) return;
  if (fault !== undefined) collector.report(line, `The row cannot be read: ${fault}.`);
  else if (isEmpty) collector.report(line, 'The row is empty.');
  else if (cells.length !== columns.length)
    collector.report(line, `The row has ${cells.length} cells, but there are ${columns.length} columns.`);
  collector.add(line, cells, characters);
}

/** Returns the delimiter that splits the first lines into the most columns of the same number. */
function findDelimiter(text: string): Delimiter {
  const lines = text
    .slice(0, CHUNK_BYTES)
    .split(/\r\n|\n|\r/, 20)
    .filter(line => line !== '');
  const scores = (Object.keys(DELIMITERS) as Delimiter[]).map(name => {
    const { data } = Papa.parse<string[]>(lines.join('\n'), { delimiter: DELIMITERS[name] });
    const [header = [], ...others] = data;
    const same = others.filter(cells => cells.length === header.length).length;
    return { name, score: header.length < 2 ? 0 : header.length * (1 + same) };
  });
  return scores.reduce((best, candidate) => (candidate.score > best.score ? candidate : best)).name;
}

async function parseJsonLines(
  chunks: Iterable<string>,
  encoding: string,
  options: TableOptions,
): Promise<ParsedTable> {
  const collector = new Collector(options);
  const indexOf = new Map<string, number>();
  let line = 0;
  let rest = '';
  const parseLine = (text: string): void => {
    line++;
    const value = parseObject(text);
    const names = Object.keys(value ?? {});
    for (const name of names) indexOf.set(name, indexOf.get(name) ?? indexOf.size);
    if (text.trim() === '') collector.report(line, 'The line is empty.');
    else if (value === undefined) collector.report(line, 'The line is not a JSON object.');
    else if (indexOf.size > MAX_COLUMNS)
      collector.report(line, `There are more than ${MAX_COLUMNS} different members.`);
    else {
      const cells: Json[] = [];
      for (const name of names) cells[indexOf.get(name) ?? 0] = value[name] as Json;
      collector.add(
        line,
        Array.from(cells, cell => cell ?? ''),
        text.length,
      );
    }
  };
  for (const chunk of chunks) {
    const lines = (rest + chunk).split(/\r\n|\n/);
    rest = lines.pop() ?? '';
    for (const text of lines) parseLine(text);
    if (rest.length > MAX_RECORD_CHARS) {
      collector.report(line + 1, TOO_LONG);
      rest = '';
      break;
    }
    await collector.flush(false);
    await nextTurn();
  }
  if (rest.trim() !== '') parseLine(rest);
  await collector.flush(true);
  collector.columns = [...indexOf.keys()];
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
  { columns, total, sample, problems }: Collector,
  found: Pick<ParsedTable, 'format' | 'delimiter' | 'encoding'>,
): ParsedTable {
  return { ...found, columns, total, sample, problems };
}
