// Describes the errors of ComfyUI as one sentence that names the node, and where in the graph it is.
import { ProviderError, type ProviderErrorKind } from './provider-error.ts';
import { asArray, asNonEmptyText, asRecord, type JsonRecord } from './response.ts';

/** The nodes of the submitted graph, by which errors are described. */
export type DescribedNodes = Readonly<Record<string, DescribedNode>>;
interface DescribedNode {
  readonly class_type?: unknown;
  readonly _meta?: unknown;
}

/** Returns the first error of each node as an error of this kind, or undefined if there are none. */
export function findNodeErrors(
  nodeErrors: unknown,
  nodes: DescribedNodes,
  kind: ProviderErrorKind,
): ProviderError | undefined {
  const entries = Object.entries(asRecord(nodeErrors));
  const [first] = entries;
  if (first === undefined) return undefined;
  const sentences = entries.map(([id, entry]) => {
    const { class_type, errors } = asRecord(entry);
    const { message, details } = asRecord(asArray(errors)[0]);
    return `${describeNode(id, nodes, class_type)}: ${joinTexts([message, details], ', ')}`;
  });
  const { extra_info } = asRecord(asArray(asRecord(first[1]).errors)[0]);
  return new ProviderError('comfyui', kind, {
    detail: sentences.join('; '),
    pointer: toPointer(first[0], asRecord(extra_info).input_name),
    isMissing: entries.some(([, entry]) =>
      asArray(asRecord(entry).errors).some(error => asRecord(error).type === 'value_not_in_list'),
    ),
  });
}

/** Returns the error of a failed execution, from the events of its history. */
export function explainFailure(messages: readonly unknown[], nodes: DescribedNodes): ProviderError {
  const events = new Map(messages.map(readEvent));
  const failure = events.get('execution_error');
  if (failure === undefined)
    return new ProviderError('comfyui', events.has('execution_interrupted') ? 'cancelled' : 'failed');
  const { node_id, node_type, exception_message } = failure;
  const id = typeof node_id === 'number' ? String(node_id) : asNonEmptyText(node_id);
  const name = id === undefined ? asNonEmptyText(node_type) : describeNode(id, nodes, node_type);
  return new ProviderError('comfyui', 'failed', {
    detail: joinTexts([name, exception_message], ': '),
    ...(id === undefined ? {} : { pointer: toPointer(id) }),
  });
}

/** Reads `[event, data]`, or the form of a public fork: `event: message`, without the node. */
function readEvent(message: unknown): readonly [event: unknown, data: JsonRecord] {
  if (typeof message !== 'string') return [asArray(message)[0], asRecord(asArray(message)[1])];
  const [event = '', text = ''] = message.split(/:(.*)/s);
  return [event, { exception_message: text }];
}

/** Returns the error of a node type that the server does not have, or undefined for another error. */
export function findMissingType(error: unknown, nodes: DescribedNodes): ProviderError | undefined {
  const { message, details, extra_info } = asRecord(error);
  const { node_id, class_type } = asRecord(extra_info);
  // Older servers name the node only in a text.
  const id =
    typeof node_id === 'number'
      ? String(node_id)
      : (asNonEmptyText(node_id) ?? /^Node ID '#(.{1,200})'$/.exec(String(details))?.[1]);
  if (id === undefined) return undefined;
  return new ProviderError('comfyui', 'invalid_input', {
    detail: `${describeNode(id, nodes, class_type)}: ${asNonEmptyText(message) ?? 'the server does not have this node type'}`,
    pointer: toPointer(id),
    isMissing: true,
  });
}

/** Returns for example `“Sampler” (KSampler, node 3)`. */
function describeNode(id: string, nodes: DescribedNodes, classType: unknown): string {
  const node = Object.hasOwn(nodes, id) ? nodes[id] : undefined;
  const type = asNonEmptyText(classType) ?? asNonEmptyText(node?.class_type) ?? 'unknown type';
  const title = asNonEmptyText(asRecord(node?._meta).title);
  return title === undefined || title === type
    ? `node ${id} (${type})`
    : `“${title.slice(0, 60)}” (${type}, node ${id})`;
}

const joinTexts = (texts: readonly unknown[], separator: string): string =>
  texts.flatMap(text => asNonEmptyText(text)?.trim() ?? []).join(separator);

const toPointer = (id: string, input?: unknown): string =>
  [id, ...(typeof input === 'string' ? ['inputs', input] : [])]
    .map(key => `/${key.slice(0, 200).replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('');
