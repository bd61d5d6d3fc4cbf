// Reads the ports of a `comfyui:workflow` node from its config.
import type { InputDef, OutputDef } from '../catalog.ts';
import { isPortName, listDistinct, MAX_CONFIG_PORTS } from '../config-ports.ts';
import { isObject, type Json, type JsonObject } from '../types.ts';

const COMFY_PORT_TYPES = ['IMAGE', 'VIDEO', 'AUDIO', 'TEXT', 'NUMBER', 'JSON'] as const;
export type ComfyPortType = (typeof COMFY_PORT_TYPES)[number];

/** A port that sets an input of a node in the graph. */
export interface ComfyInput {
  readonly id: string;
  readonly label: string;
  readonly type: ComfyPortType;
  readonly node: string;
  readonly input: string;
  /** Used instead of the value in the graph if the port is not connected. */
  readonly default?: Json;
  /** Set for a setting of the node that has no port. */
  readonly isField?: boolean;
}

/** A port with the files or texts of a node in the graph. */
export interface ComfyOutput {
  readonly id: string;
  readonly label: string;
  readonly type: ComfyPortType;
  readonly node: string;
  readonly isList?: boolean;
}

/** The fields of the node, which cannot be ports as well. */
const FIELDS: ReadonlySet<string> = new Set([
  'graph',
  'source',
  'inputs',
  'outputs',
  'seeds',
  'fanOut',
  'maxCredits',
]);

/** Returns the valid inputs, the first of each id. */
export const getComfyInputs = ({ inputs }: JsonObject): readonly ComfyInput[] =>
  listDistinct(inputs, isInput).slice(0, MAX_CONFIG_PORTS);

/** Returns the valid outputs, the first of each id. */
export const getComfyOutputs = ({ outputs }: JsonObject): readonly ComfyOutput[] =>
  listDistinct(outputs, isOutput).slice(0, MAX_CONFIG_PORTS);

const isInput = (item: unknown): item is ComfyInput =>
  isOutput(item) && typeof (item as Partial<ComfyInput>).input === 'string';

const isOutput = (item: unknown): item is ComfyOutput =>
  isObject(item) &&
  isPortName(item.id) &&
  !FIELDS.has(item.id) &&
  typeof item.label === 'string' &&
  typeof item.node === 'string' &&
  COMFY_PORT_TYPES.includes(item.type as ComfyPortType);

/** Returns the ports as the editor and the engine use them. A text or number shows the value that the graph has. */
export function toComfyPorts(config: JsonObject): {
  readonly inputs: InputDef[];
  readonly outputs: OutputDef[];
} {
  return {
    inputs: getComfyInputs(config).map(input => {
      const value = getShownValue(input, config.graph);
      const { id, label, type, isField } = input;
      return {
        id,
        label,
        type,
        isPort: isField !== true,
        ...(value === undefined ? {} : { default: value }),
      };
    }),
    outputs: getComfyOutputs(config).map(({ id, label, type, isList }) => ({
      id,
      label,
      type: isList === true ? 'LIST' : type,
      isPort: true,
    })),
  };
}

/** Returns the value of a text or number. A connection in the graph is a list, and has no value to show. */
function getShownValue(
  { type, node, input, default: fallback }: ComfyInput,
  graph: Json | undefined,
): Json | undefined {
  const value = fallback ?? getMember(getMember(getMember(graph, node), 'inputs'), input);
  if (type === 'TEXT') return typeof value === 'string' ? value : undefined;
  if (type === 'NUMBER') return typeof value === 'number' ? value : undefined;
  return type === 'JSON' ? fallback : undefined;
}

const getMember = (value: Json | undefined, key: string): Json | undefined =>
  isObject(value) && Object.hasOwn(value, key) ? (value as JsonObject)[key] : undefined;
