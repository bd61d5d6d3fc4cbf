// Converts tool output to a response, as data and as text, both limited in size.
import type { CallToolResult } from '@modelcontextprotocol/server';
import { cutText } from '../lib/cut-text.ts';
import { parseExactJson } from '../lib/exact-numbers.ts';
import { JsonText } from '../lib/json-text.ts';
import { isRecord } from '../lib/record.ts';
import type { Tool, ToolOutput } from './tool.ts';

/** Clients truncate or reject longer results. */
export const MAX_CHARACTERS = 24_000;
/** The maximum length of texts in the first round of truncation. */
const LONG_TEXT_CHARACTERS = 1500;
/** Reserved for the note. */
const NOTE_CHARACTERS = 600;

export function presentOutput(tool: Tool, { data, links = [], previews = [] }: ToolOutput): CallToolResult {
  const limited = limitData(toExactJson(data) as Data, tool.tooLongHint);
  return {
    content: [
      { type: 'text', text: formatData(limited) },
      ...links.map(link => ({ type: 'resource_link' as const, ...link })),
      ...previews.map(data => ({ type: 'image' as const, data, mimeType: 'image/jpeg' })),
    ],
    structuredContent: limited,
  };
}

type Data = Readonly<Record<string, unknown>>;

/** Returns whether the value is an object with members. Raw JSON is an object too, but holds an exact number. */
const isData = (value: unknown): value is Data => isRecord(value) && !JSON.isRawJSON(value);

/** Replaces JSON texts by their values with exact numbers, and leaves out undefined members. */
function toExactJson(value: unknown): unknown {
  if (value instanceof JsonText) return parseShortJson(value);
  if (Array.isArray(value)) return value.map(toExactJson);
  if (!isData(value)) return value;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.map(([key, member]) => [key, toExactJson(member)]));
}

/** Parsing longer JSON would block the event loop. */
const MAX_PARSED_CHARACTERS = 250_000;

/** Returns the value. Longer texts are truncated later, so their numbers need not be exact, and the longest stay text. */
function parseShortJson(json: JsonText): unknown {
  const { length } = json.text;
  if (length > MAX_PARSED_CHARACTERS) return json.text.slice(0, MAX_CHARACTERS);
  return length > MAX_CHARACTERS ? json.value : parseExactJson(json.text);
}

const getJsonLength = (value: unknown): number => JSON.stringify(value).length;

/** The maximum length of texts in successive rounds of truncation. Few results need more than the first round. */
const MAX_TEXT_LENGTHS = [LONG_TEXT_CHARACTERS, 400, 100];

/**
 * Truncates the data to MAX_CHARACTERS: first long texts, then the end of the longest list, until everything fits. `note`
 * describes what was left out and how to request it.
 */
export function limitData(data: Data, tooLongHint: string): Data {
  const truncated = truncateLists(data);
  if (truncated === data && isWithinLimit(data)) return data;
  let limited: Data = {};
  for (const maxText of MAX_TEXT_LENGTHS) {
    limited = truncateData({ data, truncated }, maxText, tooLongHint);
    if (isWithinLimit(limited)) return limited;
  }
  // Only hostile shapes get here: lists within lists, or thousands of members.
  const shortMembers = Object.entries(limited).filter(
    ([, value]) => getJsonLength(value) < LONG_TEXT_CHARACTERS,
  );
  return { ...Object.fromEntries(shortMembers.slice(0, MAX_MEMBERS)), note: tooLongHint };
}

const MAX_MEMBERS = 10;
/** The maximum length of a list. Each item is a line of at least three characters. */
const MAX_ITEMS = MAX_CHARACTERS / 3;

const isWithinLimit = (data: Data): boolean =>
  getJsonLength(data) <= MAX_CHARACTERS && formatData(data).length <= MAX_CHARACTERS;

/** Truncates lists that cannot fit. Returns the same object if every list can fit. */
function truncateLists(data: Data): Data {
  const entries = Object.entries(data);
  const isLong = (value: unknown): value is readonly unknown[] =>
    Array.isArray(value) && value.length > MAX_ITEMS;
  if (!entries.some(([, value]) => isLong(value))) return data;
  return Object.fromEntries(
    entries.map(([name, value]) => [name, isLong(value) ? value.slice(0, MAX_ITEMS) : value]),
  );
}

interface LongData {
  readonly data: Data;
  readonly truncated: Data;
}

function truncateData({ data, truncated }: LongData, maxText: number, tooLongHint: string): Data {
  const counter = { texts: 0, maxText };
  let limited = truncateTexts(truncated, counter) as Data;
  const notes = counter.texts === 0 ? [] : [`${counter.texts} long texts are truncated.`];
  // Each round truncates one list, so there are at most as many rounds as lists.
  for (const _ of Object.keys(data)) {
    const excess =
      Math.max(getJsonLength(limited), formatData(limited).length) + NOTE_CHARACTERS - MAX_CHARACTERS;
    if (excess <= 0) break;
    const [name, list] = findLongestList(limited);
    if (list === undefined) break;
    const remainingItems = removeLastItems(list, excess);
    limited = { ...limited, [name]: remainingItems };
    notes.push(`Showing ${remainingItems.length} of ${(data[name] as readonly unknown[]).length} ${name}.`);
  }
  return { ...limited, note: [...notes, tooLongHint].join(' ') };
}

interface TextCounter {
  readonly maxText: number;
  texts: number;
}

function truncateTexts(value: unknown, counter: TextCounter): unknown {
  if (typeof value === 'string' && value.length > counter.maxText + 100) {
    counter.texts++;
    const start = cutText(value, counter.maxText);
    return `${start}… [${value.length - counter.maxText} more characters]`;
  }
  if (Array.isArray(value)) return value.map(item => truncateTexts(item, counter));
  if (!isData(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, truncateTexts(member, counter)]),
  );
}

function findLongestList(data: Data): readonly [string, readonly unknown[] | undefined] {
  const lists = Object.entries(data).filter((entry): entry is [string, unknown[]] => Array.isArray(entry[1]));
  const sized = lists.map(([name, list]) => ({ name, list, size: getJsonLength(list) }));
  const longest = sized.sort((a, b) => b.size - a.size)[0];
  return longest === undefined ? ['', undefined] : [longest.name, longest.list];
}

function removeLastItems(list: readonly unknown[], characters: number): readonly unknown[] {
  let removed = 0;
  let count = list.length;
  while (count > 0 && removed < characters) {
    count--;
    removed += getJsonLength(list[count]) + 1;
  }
  return list.slice(0, count);
}

/** Formats data as lines that take few tokens: one per member or item. */
export function formatData(data: Data): string {
  return Object.entries(data)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}: ${formatValue(value)}`)
    .join('\n');
}

function formatValue(value: unknown): string {
  if (!Array.isArray(value)) return formatItem(value);
  if (value.length === 0) return 'none';
  if (value.every(item => !isData(item)) && getJsonLength(value) < 200)
    return value.map(formatItem).join(', ');
  return value.map(item => `\n- ${formatItem(item)}`).join('');
}

function formatItem(value: unknown): string {
  if (typeof value === 'string') return value;
  if (!isData(value)) return JSON.stringify(value);
  return Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([key, member]) => `${key}: ${typeof member === 'string' ? member : JSON.stringify(member)}`)
    .join(' · ');
}
