// Lists the values of a ComfyUI graph that can become inputs of its node, those first that people change most.
import type { Json } from '../types.ts';
import { type ApiGraph, getApiTitle, readApiLink } from './api-graph.ts';
import type { NodeTypes } from './node-types.ts';
import type { ComfyOutput, ComfyPortType } from './ports.ts';
import {
  findOutputType,
  getOwnTitle,
  getPromptLabel,
  isPrompt,
  LOADERS,
  listUses,
  TYPE_LABELS,
} from './suggested-ports.ts';

/** What people use a value for, in the order of the suggestions. */
export const VALUE_KINDS = ['prompt', 'media', 'seed', 'size', 'steps'] as const;
export type ValueKind = (typeof VALUE_KINDS)[number];

/** A value of a node in the graph. */
export interface GraphValue {
  readonly node: string;
  readonly input: string;
  readonly type: ComfyPortType;
  readonly value: Json;
  /** The label of an input for the value. */
  readonly label: string;
  /** The title of the node in the graph. */
  readonly title: string;
  /** Set for values that are suggested. */
  readonly kind?: ValueKind;
}

const SEEDS: ReadonlySet<string> = new Set(['seed', 'noise_seed']);
const SIZES: ReadonlySet<string> = new Set(['width', 'height', 'batch_size', 'length', 'megapixels']);
const STEPS: ReadonlySet<string> = new Set(['steps', 'cfg', 'denoise', 'guidance']);
const NO_TYPES: NodeTypes = { find: () => undefined };

/** Returns all values of the graph, the suggested ones first. Connections are no values. */
export function listGraphValues(graph: ApiGraph): readonly GraphValue[] {
  const uses = listUses(graph);
  const values = Object.entries(graph).flatMap(([node, apiNode]) =>
    Object.entries(apiNode.inputs).flatMap(([input, value]): GraphValue[] => {
      if (value === null || readApiLink(value) !== undefined) return [];
      const { class_type } = apiNode;
      const loader = Object.hasOwn(LOADERS, class_type) ? LOADERS[class_type] : undefined;
      const isMedia = loader?.[0] === input && typeof value === 'string';
      const isResult = findOutputType(graph, node, NO_TYPES) !== undefined;
      const kind = isMedia ? 'media' : isResult ? undefined : findKind(class_type, input, value);
      const type = isMedia ? (loader?.[1] ?? 'IMAGE') : getType(value);
      const ownTitle = getOwnTitle(class_type, apiNode._meta?.title);
      const label =
        kind === 'prompt'
          ? getPromptLabel(graph, node, input, uses)
          : kind === 'media'
            ? (ownTitle ?? TYPE_LABELS[type])
            : toLabel(input);
      return [
        {
          node,
          input,
          type,
          value,
          label,
          title: getApiTitle(apiNode),
          ...(kind === undefined ? {} : { kind }),
        },
      ];
    }),
  );
  const rank = ({ kind }: GraphValue): number =>
    kind === undefined ? VALUE_KINDS.length : VALUE_KINDS.indexOf(kind);
  return values.sort((a, b) => rank(a) - rank(b));
}

function findKind(classType: string, input: string, value: Json): ValueKind | undefined {
  if (typeof value === 'string') return isPrompt(classType, input) ? 'prompt' : undefined;
  if (typeof value !== 'number') return undefined;
  if (SEEDS.has(input)) return 'seed';
  if (SIZES.has(input)) return 'size';
  return STEPS.has(input) ? 'steps' : undefined;
}

const getType = (value: Json): ComfyPortType =>
  typeof value === 'string' ? 'TEXT' : typeof value === 'number' ? 'NUMBER' : 'JSON';

/** Returns `Noise seed` for `noise_seed`. */
function toLabel(input: string): string {
  const words = input.replaceAll(/[._-]+/g, ' ').trim();
  return (words.charAt(0).toUpperCase() + words.slice(1)).slice(0, 60) || 'Value';
}

/** A node of the graph whose files or texts can be an output. */
export type GraphResult = Pick<ComfyOutput, 'node' | 'type' | 'label'>;

/** Returns the nodes that save or show a result. */
export function listGraphResults(graph: ApiGraph): readonly GraphResult[] {
  return Object.entries(graph).flatMap(([node, { class_type, _meta }]) => {
    const type = findOutputType(graph, node, NO_TYPES);
    if (type === undefined) return [];
    return [{ node, type, label: getOwnTitle(class_type, _meta?.title) ?? TYPE_LABELS[type] }];
  });
}
