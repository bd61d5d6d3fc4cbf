// Truncates the steps of a large run for display. Works on JSON texts, because parsed values would take several times as
// much memory.
import { computeFairShare } from '../lib/fair-share.ts';
import { joinMembers, parseItemTexts, parseMemberTexts } from '../lib/json-scan.ts';

export interface TruncationRequest {
  /** Rows of one run, oldest first. */
  readonly rows: readonly StepText[];
  /** Only steps with a larger sequence number are returned. */
  readonly afterSeq: number;
  /** If given, only the newest step of this node is returned. */
  readonly nodeId?: string;
  readonly maxBytes: number;
}

/** A row of `execution_steps`. */
export interface StepText {
  /** The sequence number of the last step. */
  readonly seq: number;
  /** The JSON text of an array of steps. */
  readonly steps: string;
}

interface StepMembers {
  readonly seq: number;
  readonly members: Map<string, string>;
  readonly bytes: number;
}

/**
 * Returns the JSON text of an array of StepRow. If the steps together are larger than `maxBytes`, the longest outputs are
 * truncated, and their steps are marked `truncated`. The result of each item is replaced by `true`.
 */
export function truncateSteps({ rows, afterSeq, nodeId, maxBytes }: TruncationRequest): string {
  const nodeIdText = nodeId === undefined ? undefined : JSON.stringify(nodeId);
  const steps = rows
    .flatMap(splitRow)
    .filter(
      ({ seq, members }) =>
        seq > afterSeq && (nodeIdText === undefined || members.get('nodeId') === nodeIdText),
    )
    .slice(nodeIdText === undefined ? 0 : -1);
  const maxStepBytes = computeFairShare(
    steps.map(({ bytes }) => bytes),
    maxBytes,
  );
  return `[${steps.map(({ seq, members }) => `{"seq":${seq},"step":${truncateStep(members, maxStepBytes)}}`).join(',')}]`;
}

function splitRow({ seq, steps }: StepText): readonly StepMembers[] {
  const texts = parseItemTexts(steps);
  return texts.map((text, index) => {
    const members = parseMemberTexts(text);
    const items = members.get('items');
    if (items !== undefined) members.set('items', replaceResults(items));
    return { seq: seq - texts.length + 1 + index, members, bytes: countBytes(members) };
  });
}

/** Replaces each result by `true`. */
function replaceResults(items: string): string {
  const replacements = parseItemTexts(items).map(item => (item === 'null' ? item : 'true'));
  return `[${replacements.join(',')}]`;
}

function countBytes(members: ReadonlyMap<string, string>): number {
  let bytes = 0;
  for (const [name, text] of members) bytes += name.length + Buffer.byteLength(text) + 4;
  return bytes;
}

function truncateStep(members: ReadonlyMap<string, string>, maxBytes: number): string {
  const outputs = members.get('outputs');
  if (outputs === undefined || Buffer.byteLength(outputs) <= maxBytes) return joinMembers(members);
  const values = parseMemberTexts(outputs);
  const truncatedOutputs = Array.from(values, ([port, value]): [string, string] => [
    port,
    truncateValue(value, maxBytes / values.size),
  ]);
  return joinMembers(new Map(members).set('outputs', joinMembers(truncatedOutputs)).set('truncated', 'true'));
}

/** For each type of value that can be truncated: the member with the content, and the function that truncates it. */
const TRUNCATORS: Readonly<
  Record<string, readonly [member: string, truncate: (text: string, maxBytes: number) => string]>
> = {
  TEXT: ['text', (text, maxBytes) => quotePrefix(JSON.parse(text) as string, maxBytes)],
  JSON: ['json', quotePrefix],
  LIST: [
    'items',
    (text, maxBytes) => {
      const items = parseItemTexts(text);
      return `[${items.map(item => truncateValue(item, maxBytes / items.length)).join(',')}]`;
    },
  ],
};

function quotePrefix(text: string, maxBytes: number): string {
  return JSON.stringify(text.slice(0, maxBytes).toWellFormed());
}

function truncateValue(value: string, maxBytes: number): string {
  if (Buffer.byteLength(value) <= maxBytes) return value;
  const members = parseMemberTexts(value);
  const type = members.get('type') ?? '""';
  const [member, truncate] = TRUNCATORS[JSON.parse(type) as string] ?? [];
  const content = members.get(member ?? '');
  if (member === undefined || truncate === undefined || content === undefined) return value;
  return joinMembers([
    ['type', type],
    [member, truncate(content, maxBytes)],
  ]);
}
