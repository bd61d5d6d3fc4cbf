// Parses JSON lines, and arrays of objects, into the rows of a table.
import type { Json } from '../../graph/types.ts';
import { parseExactJson } from '../../lib/exact-numbers.ts';
import { findShapeProblem } from '../../lib/json-shape.ts';
import { isRecord } from '../../lib/record.ts';
import { yieldTurn } from '../../lib/yield-turn.ts';
import { splitArray } from './split-array.ts';
import {
  MAX_COLUMNS,
  MAX_NAME_CHARACTERS,
  MAX_ROW_CHARACTERS,
  NOT_READ,
  ROW_TOO_LONG,
  type TableCollector,
} from './table-collector.ts';

/** Adds an object of each line. */
export async function parseJsonLines(
  chunks: AsyncIterable<string>,
  collector: TableCollector,
): Promise<void> {
  const rows = createRowAdder(collector);
  let line = 0;
  let rest = '';
  let emptyLines = 0;
  const parseLine = (text: string): void => {
    line++;
    if (text.trim() === '') {
      emptyLines++;
      return;
    }
    // Empty lines at the end of a file are usual.
    for (; emptyLines > 0; emptyLines--) collector.report(line - emptyLines, 'The line is empty.');
    rows.add(line, text, 'line');
  };
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const text of lines) {
      parseLine(text);
      await yieldTurn();
    }
    if (rest.length > MAX_ROW_CHARACTERS) {
      collector.report(line + 1, `${ROW_TOO_LONG} ${NOT_READ}`);
      rest = '';
      break;
    }
    await collector.flush(false);
    await yieldTurn();
  }
  parseLine(rest);
  rows.end();
}

/** Adds each object of an array, which may take several lines. */
export async function parseJsonArray(
  chunks: AsyncIterable<string>,
  collector: TableCollector,
): Promise<void> {
  const rows = createRowAdder(collector);
  for await (const part of splitArray(chunks, MAX_ROW_CHARACTERS)) {
    if ('problem' in part) collector.report(part.line, `${part.problem} ${NOT_READ}`);
    else rows.add(part.line, part.item, 'item');
    await collector.flush(false);
    await yieldTurn();
  }
  rows.end();
}

/** The maximum number of values in a line or item. Parsing numbers exactly takes up to 3 µs each. */
const MAX_ROW_VALUES = 20_000;

function createRowAdder(collector: TableCollector) {
  const columnIndexes = new Map<string, number>();
  /** Returns the problem of the row. */
  const addRow = (line: number, text: string, noun: string): string | undefined => {
    const value = parseObject(text, noun);
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
  return {
    add(line: number, text: string, noun: 'line' | 'item'): void {
      const problem = addRow(line, text, noun);
      if (problem !== undefined) collector.report(line, problem);
    },
    end(): void {
      collector.columns = [...columnIndexes.keys()];
      if (collector.columns.length === 0 && collector.problems.length === 0)
        collector.report(1, 'The table is empty.');
    },
  };
}

/** Returns the object, or the problem of the row. */
function parseObject(text: string, noun: string): Record<string, unknown> | string {
  const problem = findShapeProblem(Buffer.from(text), MAX_ROW_VALUES);
  if (problem !== undefined) return `The ${noun} ${problem}.`;
  const noObject = `The ${noun} is not a JSON object.`;
  try {
    const value = parseExactJson(text);
    return isRecord(value) ? value : noObject;
  } catch {
    return noObject;
  }
}
