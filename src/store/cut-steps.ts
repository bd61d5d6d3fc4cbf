// Shortens the node states of a large run for display. Works on their JSON texts, because parsed values would take
// several times as much memory.
import { computeFairShare } from '../lib/fair-share.ts';
import { joinMembers, parseItemTexts, parseMemberTexts } from '../lib/json-scan.ts';

export interface CutRequest {
  /** Rows of one run, oldest first. */
  readonly rows: readonly StepText[];
  /** Only states with a larger sequence number are returned. */
  readonly afterSeq: number;
  /** If given, only the newest state of this node is returned. */
  readonly nodeId?: string;
  readonly maxBytes: number;
}

export interface StepText {
  /** The sequence number of the last state. */
  readonly seq: number;
  /** An array of node states. */
  readonly steps: string;
}

interface StepMembers {
  readonly seq: number;
  readonly members: Map<string, string>;
  readonly bytes: number;
}

/**
 * Returns the JSON text of one row for each state. If the states together are larger than `maxBytes`, the longest
 * outputs are cut, and their states are marked `truncated`. The result of each item is replaced by `true`.
 */
export function cutSteps({ rows, afterSeq, nodeId, maxBytes }: CutRequest): string {
  const nodeIdText = nodeId === undefined ? undefined : JSON.stringify(nodeId);
  const states = rows
    .flatMap(splitRow)
    .filter(
      ({ seq, members }) =>
        seq > afterSeq && (nodeIdText === undefined || members.get('nodeId') === nodeIdText),
    )
    .slice(nodeIdText === undefined ? 0 : -1);
  const maxStateBytes = computeFairShare(
    states.map(({ bytes }) => bytes),
    maxBytes,
  );
  return `[${states.map(({ seq, members }) => `{"seq":${seq},"step":${cutStep(members, maxStateBytes)}}`).join(',')}]`;
}

function splitRow({ seq, steps }: StepText): readonly StepMembers[] {
  const texts = parseItemTexts(steps);
  return texts.map((text, index) => {
    const members = parseMemberTexts(text);
    const items = members.get('items');
    if (items !== undefined) members.set('items', hideResults(items));
    return { seq: seq - texts.length + 1 + index, members, bytes: countBytes(members) };
  });
}

function hideResults(items: string): string {
  const hidden = parseItemTexts(items).map(item => (item === 'null' ? item : 'true'));
  return `[${hidden.join(',')}]`;
}

function countBytes(members: ReadonlyMap<string, string>): number {
  let bytes = 0;
  for (const [name, text] of members) bytes += name.length + Buffer.byteLength(text) + 4;
  return bytes;
}

function cutStep(members: ReadonlyMap<string, string>, maxBytes: number): string {
  const outputs = members.get('outputs');
  if (outputs === undefined || Buffer.byteLength(outputs) <= maxBytes) return joinMembers(members);
  const values = parseMemberTexts(outputs);
  const cutOutputs = Array.from(values, ([port, value]): [string, string] => [
    port,
    cutValue(value, maxBytes / values.size),
  ]);
  return joinMembers(new Map(members).set('outputs', joinMembers(cutOutputs)).set('truncated', 'true'));
}

/** For each type of value that can be cut: the member with the content, and the function that cuts the content. */
const CUTTERS: Readonly<
  Record<string, readonly [member: string, cut: (text: string, maxBytes: number) => string]>
> = {
  TEXT: ['text', (text, maxBytes) => quotePrefix(JSON.parse(text) as string, maxBytes)],
  JSON: ['json', quotePrefix],
  LIST: [
    'items',
    (text, maxBytes) => {
      const items = parseItemTexts(text);
      return `[${items.map(item => cutValue(item, maxBytes / items.length)).join(',')}]`;
    },
  ],
};

function quotePrefix(text: string, maxBytes: number): string {
  return JSON.stringify(text.slice(0, maxBytes).toWellFormed());
}

function cutValue(value: string, maxBytes: number): string {
  if (Buffer.byteLength(value) <= maxBytes) return value;
  const members = parseMemberTexts(value);
  const type = members.get('type') ?? '""';
  const [member, cut] = CUTTERS[JSON.parse(type) as string] ?? [];
  const content = members.get(member ?? '');
  if (member === undefined || cut === undefined || content === undefined) return value;
  return joinMembers([
    ['type', type],
    [member, cut(content, maxBytes)],
  ]);
}
