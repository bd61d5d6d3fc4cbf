// Describes the approval of a node that waits for a decision: its settings, and the value to show to those who decide.
import { collectPortValues } from '../../engine/inputs.ts';
import { measureAtLeast } from '../../engine/output-size.ts';
import type { Step } from '../../engine/types.ts';
import type { Plan, PlanNode } from '../../graph/plan.ts';
import type { Json, Value, Values } from '../../graph/types.ts';
import { jsonToValue } from '../../graph/values.ts';
import { cutText } from '../../lib/cut-text.ts';
import { omitUndefined } from '../../lib/record.ts';
import type { NewApproval } from '../../store/approvals.ts';
import type { RunRow } from '../../store/runs.ts';

/** A value that waits for a decision. A list has several items; another value has one. */
export interface WaitingValue {
  readonly type: Value['type'];
  readonly items: readonly WaitingItem[];
  /** Whether the value is incomplete because it was too large. */
  readonly truncated: boolean;
  /** An image to show in mails: the first image, or the poster of the first video. */
  readonly pictureId?: string;
}

export interface WaitingItem {
  readonly type: Value['type'];
  readonly text?: string;
  readonly value?: Json;
  readonly url?: string;
  readonly contentType?: string;
  readonly posterUrl?: string;
}

const MAX_ITEMS = 50;
/** The maximum size of the texts and JSON of a value. A longer value is shown in part, and cannot be edited. */
export const MAX_WAITING_CHARS = 100_000;
const MAX_LABEL_CHARS = 200;

/** Returns a function that describes the approval of a node by its step, or returns undefined if it waits for none. */
export function createApprovalReader(
  row: Pick<RunRow, 'id' | 'workflow_id' | 'workspace' | 'user_id'>,
  plan: Plan,
  steps: ReadonlyMap<string, Step>,
): (step: Step) => NewApproval | undefined {
  const getOutputs = (index: number): Values | undefined => {
    const source = plan.nodes[index];
    return source === undefined ? undefined : steps.get(source.id)?.outputs;
  };
  return ({ nodeId, status, suspended, approval }) => {
    if (status !== 'WAITING' || suspended?.kind !== 'decision' || approval?.id === undefined)
      return undefined;
    const { id, ...request } = approval;
    const node = plan.nodes.find(candidate => candidate.id === nodeId);
    if (node === undefined) return undefined;
    const componentId = node.component?.workflowIds.at(-1);
    return {
      id,
      execution_id: row.id,
      node_id: nodeId,
      workflow_id: row.workflow_id,
      workspace: row.workspace,
      user_id: row.user_id,
      label: cutText(node.label, MAX_LABEL_CHARS),
      request: JSON.stringify({ ...request, ...omitUndefined({ componentId }) }),
      value: JSON.stringify(toWaitingValue(findInput(node, getOutputs))),
      created_at: new Date(suspended.sinceMs),
      expires_at: new Date(suspended.untilMs),
    };
  };
}

function findInput(node: PlanNode, getOutputs: (index: number) => Values | undefined): Value | undefined {
  const value = collectPortValues(node, getOutputs).get('input');
  if (value !== undefined) return value;
  const setting = node.config.input;
  return setting === undefined ? undefined : jsonToValue(setting);
}

function toWaitingValue(value: Value | undefined): WaitingValue {
  if (value === undefined) return { type: 'TEXT', items: [], truncated: false };
  const values = value.type === 'LIST' ? value.items : [value];
  const items: WaitingItem[] = [];
  let remainingChars = MAX_WAITING_CHARS;
  let isTruncated = values.length > MAX_ITEMS;
  for (const item of values.slice(0, MAX_ITEMS)) {
    const { shown, size } = toWaitingItem(item, remainingChars);
    items.push(shown);
    isTruncated ||= size > remainingChars;
    remainingChars -= size;
    if (remainingChars <= 0) break;
  }
  const truncated = isTruncated || items.length < values.length;
  return { type: value.type, items, truncated, ...omitUndefined({ pictureId: findPicture(values) }) };
}

function findPicture(values: readonly Value[]): string | undefined {
  for (const value of values.slice(0, MAX_ITEMS)) {
    if (value.type === 'IMAGE') return value.media.mediaId;
    if (value.type === 'VIDEO' && value.media.render !== undefined) return value.media.render.posterId;
  }
  return undefined;
}

function toWaitingItem(
  value: Value,
  maxChars: number,
): { readonly shown: WaitingItem; readonly size: number } {
  const { type } = value;
  switch (type) {
    case 'TEXT':
      return { shown: { type, text: cutText(value.text, maxChars) }, size: value.text.length };
    case 'NUMBER':
      return { shown: { type, value: value.number }, size: 1 };
    case 'JSON': {
      const { bytes } = measureAtLeast(value.json, maxChars);
      return bytes > maxChars
        ? { shown: { type }, size: bytes }
        : { shown: { type, value: value.json }, size: bytes };
    }
    case 'LIST':
      return { shown: { type }, size: maxChars + 1 };
    default: {
      const { url, contentType, render } = value.media;
      const poster = render?.posterUrl === undefined ? {} : { posterUrl: render.posterUrl };
      return { shown: { type, url, contentType, ...poster }, size: 1 };
    }
  }
}
