// Truncates the record of a run to the maximum size of a response, event or webhook.
import { measureSize } from '../../engine/output-size.ts';
import { cutText } from '../../lib/cut-text.ts';
import { computeFairShare } from '../../lib/fair-share.ts';
import { JsonText, stringifyJson } from '../../lib/json-text.ts';

/** The limit of `GET /executions/{id}`, snapshots, events and webhook bodies. */
const MAX_BYTES = 16_000_000;

/** A node state or an output, with its values as members. */
interface RecordEntry {
  readonly nodeId: string;
}

interface RunRecord {
  readonly nodeStates: readonly RecordEntry[];
  readonly outputs?: readonly RecordEntry[];
}

/** Returns whether `truncateRecord` leaves the record as it is. */
export function fitsRecord(record: RunRecord, maxBytes = MAX_BYTES): boolean {
  return measureSize(record, maxBytes).bytes <= maxBytes;
}

/**
 * Returns the record with at most 16 MB of JSON. The longest values are truncated to the same length, and their node
 * states are marked `truncated`. A JSON value that is truncated becomes a string.
 */
export function truncateRecord<R extends RunRecord>(record: R, maxBytes = MAX_BYTES): R {
  if (fitsRecord(record, maxBytes)) return record;
  const { nodeStates, outputs = [] } = record;
  const jsonTexts = createJsonTexts();
  const sizes = [...nodeStates, ...outputs].flatMap(state => listValues(state).map(jsonTexts.countBytes));
  const emptyRecord = {
    ...record,
    nodeStates: nodeStates.map(removeValues),
    outputs: outputs.map(removeValues),
  };
  // Adds the member name and comma of each value, and the `truncated` member of each state.
  const emptyBytes =
    Buffer.byteLength(stringifyJson(emptyRecord)) + 12 * sizes.length + 20 * nodeStates.length;
  const maxValueBytes = computeFairShare(sizes, maxBytes - emptyBytes);
  const truncatedNodeIds = new Set<string>();
  const truncateValues = <S extends RecordEntry>(state: S): S =>
    mapValues(state, value =>
      truncateValue(jsonTexts, value, maxValueBytes, () => truncatedNodeIds.add(state.nodeId)),
    );
  // If the record is too large even without values, its outputs are left out.
  const isEmptyTooLarge = emptyBytes > maxBytes;
  if (isEmptyTooLarge) for (const { nodeId } of outputs) truncatedNodeIds.add(nodeId);
  const truncatedOutputs = isEmptyTooLarge ? [] : outputs.map(truncateValues);
  const truncatedStates = nodeStates.map(truncateValues);
  return {
    ...record,
    nodeStates: truncatedStates.map(state =>
      truncatedNodeIds.has(state.nodeId) ? { ...state, truncated: true } : state,
    ),
    ...(record.outputs === undefined ? {} : { outputs: truncatedOutputs }),
  };
}

/** Truncates a single node state to the same limit. */
export function truncateNodeState<S extends RecordEntry>(state: S): S {
  return truncateRecord({ nodeStates: [state] }).nodeStates[0] ?? state;
}

const SINGLE_MEMBERS = ['text', 'value'];
const LIST_MEMBERS = ['texts', 'values'];
const VALUE_MEMBERS: ReadonlySet<string> = new Set([...SINGLE_MEMBERS, ...LIST_MEMBERS]);

function listValues(state: RecordEntry): readonly unknown[] {
  const values: unknown[] = [];
  mapValues(state, value => {
    values.push(value);
    return value;
  });
  return values;
}

function removeValues(state: RecordEntry): RecordEntry {
  return Object.fromEntries(
    Object.entries(state)
      .filter(([key]) => !VALUE_MEMBERS.has(key))
      .map(([key, value]) => [key, isPortList(key, value) ? value.map(removeValues) : value]),
  ) as object as RecordEntry;
}

/** Returns whether the member has values by port. They are members, like the values of the state. */
const isPortList = (key: string, value: unknown): value is readonly RecordEntry[] =>
  key === 'ports' && Array.isArray(value);

function mapValues<S extends RecordEntry>(state: S, map: (value: unknown) => unknown): S {
  const entries = Object.entries(state).map(([key, value]) => {
    if (isPortList(key, value)) return [key, value.map(port => mapValues(port, map))];
    if (!VALUE_MEMBERS.has(key)) return [key, value];
    return [key, LIST_MEMBERS.includes(key) && Array.isArray(value) ? value.map(map) : map(value)];
  });
  return Object.fromEntries(entries) as S;
}

interface JsonTexts {
  /** Returns the JSON text of the value. */
  toText(value: unknown): string;
  countBytes(value: unknown): number;
}

/** Serializes and measures each object once, because node states and outputs often share values. */
function createJsonTexts(): JsonTexts {
  const texts = new Map<unknown, string>();
  const sizes = new Map<unknown, number>();
  const toText = (value: unknown): string => {
    if (value instanceof JsonText) return value.text;
    const text = texts.get(value) ?? JSON.stringify(value);
    texts.set(value, text);
    return text;
  };
  const countBytes = (value: unknown): number => {
    const cachedBytes = sizes.get(value);
    if (cachedBytes !== undefined || value === undefined) return cachedBytes ?? 0;
    const bytes =
      value instanceof JsonText
        ? Buffer.byteLength(value.text)
        : measureSize(value, Number.POSITIVE_INFINITY).bytes;
    sizes.set(value, bytes);
    return bytes;
  };
  return { toText, countBytes };
}

function truncateValue(
  jsonTexts: JsonTexts,
  value: unknown,
  maxValueBytes: number,
  onTruncated: () => void,
): unknown {
  const isTruncatable = typeof value === 'string' || (typeof value === 'object' && value !== null);
  if (!isTruncatable || jsonTexts.countBytes(value) <= maxValueBytes) return value;
  onTruncated();
  const text = typeof value === 'string' ? value : jsonTexts.toText(value);
  const length = measurePrefix(text, maxValueBytes - 2);
  return cutText(text, length);
}

const PART_LENGTH = 16_384;

/** Returns the length of a prefix that has at most `maxBytes` as JSON, without quotes. Reads only that prefix. */
function measurePrefix(text: string, maxBytes: number): number {
  let bytes = 0;
  for (let start = 0; start < text.length; start += PART_LENGTH) {
    const part = text.slice(start, start + PART_LENGTH);
    const partBytes = getTextBytes(part);
    if (bytes + partBytes > maxBytes) return start + shorten(part, maxBytes - bytes);
    bytes += partBytes;
  }
  return text.length;
}

/** Returns a length at which the text has at most `maxBytes`. Assumes first that escapes are spread evenly. */
function shorten(text: string, maxBytes: number): number {
  let length = text.length;
  for (let bytes = getTextBytes(text); length > 0 && bytes > maxBytes; ) {
    length = Math.floor(Math.max(0, Math.min(length * 0.95, (length * maxBytes) / bytes)));
    bytes = getTextBytes(text.slice(0, length));
  }
  return length;
}

/** Returns the size of the text as JSON, without its quotes. */
const getTextBytes = (text: string): number => Buffer.byteLength(JSON.stringify(text)) - 2;
