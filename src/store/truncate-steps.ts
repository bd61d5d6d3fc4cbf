// Truncates the steps of a large run for display. Works on JSON texts, because parsed values would take several times as
// much memory.

import { cutText } from '../lib/cut-text.ts';
import { computeFairShare } from '../lib/fair-share.ts';
import { joinMembers, parseItemTexts, parseMemberTexts } from '../lib/json-scan.ts';

export interface TruncationRequest {
  /** Rows of one run, oldest first. */
  readonly rows: readonly StepText[];
  /** Only steps with a larger sequence number are returned. */
  readonly afterSeq: number;
  /** If given, only the newest step of this node is returned. */
  readonly nodeId?: string;
  /** If given, only steps of these nodes are returned. */
  readonly nodeIds?: readonly string[];
  /** If given, steps of other nodes are returned without their outputs. */
  readonly outputsOf?: readonly string[];
  /** Whether values are returned as they are stored. Otherwise long JSON values stay text: see `toShownValue`. */
  readonly isStoredForm?: boolean;
  readonly maxBytes: number;
}

/** The maximum number of list items of a run that is displayed. Parsing and presenting more would block the event loop. */
const MAX_ITEMS = 50_000;
/** Shorter JSON is parsed as quickly as text. */
const SHORT_JSON_LENGTH = 200;

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
}

interface MeasuredStep extends StepMembers {
  readonly bytes: number;
  /** The number of items in all lists of the outputs. */
  readonly itemCount: number;
}

/** The limits of each step. */
interface StepLimits {
  readonly maxBytes: number;
  readonly maxItems: number;
  readonly isStoredForm: boolean;
}

/**
 * Returns the JSON text of an array of StepRow. If the steps together are larger than `maxBytes`, or their lists have too
 * many items, the longest outputs are truncated, and their steps are marked `truncated`. The result of each item is
 * replaced by `true`.
 */
export function truncateSteps({ rows, maxBytes, ...filter }: TruncationRequest): string {
  const { nodeId, outputsOf, isStoredForm = false } = filter;
  const includes = createFilter(filter);
  const withOutputs = outputsOf && new Set(outputsOf.map(id => JSON.stringify(id)));
  const steps = rows
    .flatMap(splitRow)
    .filter(includes)
    .slice(nodeId === undefined ? 0 : -1)
    .map(step => (withOutputs?.has(step.members.get('nodeId') ?? '') === false ? removeOutputs(step) : step))
    .map(measureStep);
  const limits: StepLimits = {
    maxBytes: computeFairShare(
      steps.map(({ bytes }) => bytes),
      maxBytes,
    ),
    maxItems: isStoredForm
      ? Number.POSITIVE_INFINITY
      : computeFairShare(
          steps.map(({ itemCount }) => itemCount),
          MAX_ITEMS,
        ),
    isStoredForm,
  };
  return `[${steps.map(step => `{"seq":${step.seq},"step":${truncateStep(step, limits)}}`).join(',')}]`;
}

type StepFilter = Pick<TruncationRequest, 'afterSeq' | 'nodeId' | 'nodeIds'>;

function createFilter({ afterSeq, nodeId, nodeIds }: StepFilter): (step: StepMembers) => boolean {
  const ids = nodeId === undefined ? nodeIds : [nodeId];
  const idTexts = ids && new Set(ids.map(id => JSON.stringify(id)));
  return ({ seq, members }) => seq > afterSeq && idTexts?.has(members.get('nodeId') ?? '') !== false;
}

function splitRow({ seq, steps }: StepText): readonly StepMembers[] {
  const texts = parseItemTexts(steps);
  return texts.map((text, index) => {
    const members = parseMemberTexts(text);
    const items = members.get('items');
    if (items !== undefined) members.set('items', replaceResults(items));
    return { seq: seq - texts.length + 1 + index, members };
  });
}

/** Replaces each result by `true`. */
function replaceResults(items: string): string {
  const replacements = parseItemTexts(items).map(item => (item === 'null' ? item : 'true'));
  return `[${replacements.join(',')}]`;
}

function removeOutputs(step: StepMembers): StepMembers {
  const members = new Map(step.members);
  members.delete('outputs');
  return { ...step, members };
}

function measureStep(step: StepMembers): MeasuredStep {
  const outputs = step.members.get('outputs') ?? '';
  // A search takes much less time than splitting a long text.
  const values = outputs.includes('"LIST"') ? [...parseMemberTexts(outputs).values()] : [];
  return { ...step, bytes: countBytes(step.members), itemCount: values.reduce(countItems, 0) };
}

function countBytes(members: ReadonlyMap<string, string>): number {
  let bytes = 0;
  for (const [name, text] of members) bytes += name.length + Buffer.byteLength(text) + 4;
  return bytes;
}

/** Adds the number of items of a list, and of lists in it. */
function countItems(sum: number, value: string): number {
  if (!value.includes('"LIST"')) return sum;
  const members = parseMemberTexts(value);
  if (members.get('type') !== '"LIST"') return sum;
  const items = parseItemTexts(members.get('items') ?? '');
  return items.reduce(countItems, sum + items.length);
}

function truncateStep({ members, itemCount }: MeasuredStep, limits: StepLimits): string {
  const { maxBytes, maxItems, isStoredForm } = limits;
  const outputs = members.get('outputs');
  if (outputs === undefined) return joinMembers(members);
  const isLong = Buffer.byteLength(outputs) > maxBytes;
  const isTruncated = isLong || itemCount > maxItems;
  if (!isTruncated && isStoredForm) return joinMembers(members);
  const values = parseMemberTexts(outputs);
  const limit = {
    maxBytes: isLong ? maxBytes / values.size : Number.POSITIVE_INFINITY,
    itemsLeft: maxItems,
    isStoredForm,
  };
  const shownOutputs = Array.from(values, ([port, value]): [string, string] => [
    port,
    truncateValue(value, limit),
  ]);
  const shown = new Map(members).set('outputs', joinMembers(shownOutputs));
  return joinMembers(isTruncated ? shown.set('truncated', 'true') : shown);
}

interface ValueLimit {
  readonly maxBytes: number;
  /** The number of list items that the step may still have. */
  itemsLeft: number;
  readonly isStoredForm: boolean;
}

function truncateValue(value: string, limit: ValueLimit): string {
  const isLong = Buffer.byteLength(value) > limit.maxBytes;
  if (!isLong && (limit.isStoredForm || value.length <= SHORT_JSON_LENGTH)) return value;
  const members = parseMemberTexts(value);
  const type = members.get('type') ?? '""';
  const withMember = (name: string, text: string): string =>
    joinMembers([
      ['type', type],
      [name, text],
    ]);
  switch (type) {
    case '"TEXT"':
      return isLong
        ? withMember('text', quotePrefix(JSON.parse(members.get('text') ?? '""') as string, limit.maxBytes))
        : value;
    case '"JSON"':
      return isLong
        ? withMember('json', quotePrefix(members.get('json') ?? 'null', limit.maxBytes))
        : toShownValue(members);
    case '"LIST"':
      return withMember('items', truncateItems(members.get('items') ?? '[]', limit));
    default:
      return value;
  }
}

function truncateItems(text: string, limit: ValueLimit): string {
  const items = parseItemTexts(text).slice(0, limit.itemsLeft);
  limit.itemsLeft -= items.length;
  const maxBytes = limit.maxBytes / items.length;
  const shownItems = items.map(item => {
    const itemLimit = { ...limit, maxBytes };
    const shownItem = truncateValue(item, itemLimit);
    limit.itemsLeft = itemLimit.itemsLeft;
    return shownItem;
  });
  return `[${shownItems.join(',')}]`;
}

/** Returns the value without parsed JSON: it has only its text, as `exactText`. */
function toShownValue(members: ReadonlyMap<string, string>): string {
  const exactText = members.get('exactText') ?? JSON.stringify(members.get('json') ?? 'null');
  return joinMembers([
    ['type', '"JSON"'],
    ['json', 'null'],
    ['exactText', exactText],
  ]);
}

function quotePrefix(text: string, maxBytes: number): string {
  return JSON.stringify(cutText(text, maxBytes));
}
