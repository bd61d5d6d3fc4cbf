// Converts the texts of the fields of input nodes to what the service stores: values of schedules, and JSON pointers of
// triggers.
import { ApiError } from '../../../sdk/src/errors.ts';
import type { GraphNode, Json } from '../../../src/graph/types.ts';
import { UserFacingError } from '../../lib/user-facing-error.ts';

/** Texts of the fields by node id. Without a text, the run uses the value in the workflow. */
export type FieldTexts = Readonly<Record<string, string>>;

/** Drops the texts of nodes that were deleted since, because the service would refuse them. */
const pickPresent = (
  texts: FieldTexts,
  nodes: readonly GraphNode[] | undefined,
): readonly (readonly [string, string])[] => {
  const ids = nodes && new Set(nodes.map(({ id }) => id));
  return Object.entries(texts).filter(([id, text]) => text !== '' && ids?.has(id) !== false);
};

/** Returns whether the input takes text as it is. */
export const isText = ({ data }: GraphNode): boolean => data.nodeType === 'input:text';

const formatInput = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

export function toInputTexts(inputs: Readonly<Record<string, unknown>> | undefined): FieldTexts {
  return Object.fromEntries(Object.entries(inputs ?? {}).map(([id, value]) => [id, formatInput(value)]));
}

interface InputOptions {
  readonly stored: Readonly<Record<string, unknown>> | undefined;
  /** Whether values of nodes that are not in the workflow are sent too. */
  readonly keepsUnknown: boolean;
}

/**
 * Returns the values to send. A stored value that was not edited is returned unchanged. The text of an input that does
 * not take text is parsed if it is valid JSON.
 */
export function toInputValues(
  nodes: readonly GraphNode[] | undefined,
  texts: FieldTexts,
  { stored = {}, keepsUnknown }: InputOptions,
): Record<string, Json> {
  const textNodeIds = new Set(nodes?.filter(isText).map(({ id }) => id));
  const toValue = (id: string, text: string): Json => {
    if (id in stored && formatInput(stored[id]) === text) return stored[id] as Json;
    return textNodeIds.has(id) ? text : parseJson(text);
  };
  return Object.fromEntries(
    pickPresent(texts, keepsUnknown ? undefined : nodes).map(([id, text]) => [id, toValue(id, text)]),
  );
}

/** Returns what is wrong with inputs, by node id, and the error to show, which has the labels of nodes instead of ids. */
export function readInputErrors(
  error: unknown,
  nodes: readonly GraphNode[] | undefined = [],
): { readonly byNodeId: FieldTexts; readonly error: unknown } {
  const issues = error instanceof ApiError ? error.issues : [];
  const problems = nodes.flatMap(({ id, data }) => {
    const issue = issues.find(({ nodeId, path }) => nodeId === id && path?.startsWith('/inputs/'));
    return issue === undefined ? [] : [{ id, label: data.label, message: issue.message }];
  });
  if (problems.length === 0) return { byNodeId: {}, error };
  const sentences = problems.map(({ label, message }) => `${label}: ${message}`);
  return {
    byNodeId: Object.fromEntries(problems.map(({ id, message }) => [id, message])),
    error: new UserFacingError(sentences.join(' ')),
  };
}

function parseJson(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

/** Selects the whole payload. The JSON pointer for this is empty, but an empty field sets no pointer. */
const WHOLE_PAYLOAD = '*';

export const toPointerTexts = (inputs: Readonly<Record<string, unknown>> | undefined): FieldTexts =>
  Object.fromEntries(
    Object.entries(inputs ?? {}).map(([id, pointer]) => [
      id,
      pointer === '' ? WHOLE_PAYLOAD : String(pointer),
    ]),
  );

export const toPointers = (
  nodes: readonly GraphNode[] | undefined,
  texts: FieldTexts,
): Record<string, string> =>
  Object.fromEntries(pickPresent(texts, nodes).map(([id, text]) => [id, text === WHOLE_PAYLOAD ? '' : text]));
