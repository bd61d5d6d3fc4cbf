// Derives ports from a node's config, for the nodes and the editor.
import type { InputDef, ResolvedPorts } from './catalog.ts';
import { isObject, type JsonObject, PORT_TYPES, type PortType, toObject } from './types.ts';

/** A letter of any language, then letters, digits, _ and -. */
const NAME = String.raw`\p{L}[\p{L}\p{M}\p{N}_-]{0,63}`;
const LONE_NAME = new RegExp(`^${NAME}$`, 'u');

/** Returns whether the text is a valid name for a derived port. */
export function isPortName(text: unknown): text is string {
  return typeof text === 'string' && LONE_NAME.test(text) && text !== 'constructor';
}

export const MAX_CONFIG_PORTS = 50;
export const MAX_CASES = 20;

/** Matches a `{{token}}`, with its name as the first group. */
export const TOKEN = new RegExp(String.raw`\{\{\s*(${NAME})\s*\}\}`, 'gu');
/** Matches what looks like a token. References to secrets are replaced elsewhere. */
const BRACES = /\{\{(?!\s*secrets\.)([^{}]{1,100})\}\}/g;

/** Returns what is wrong with the first text in double braces that is no token. */
export function findTokenProblem(template: unknown): string | undefined {
  if (typeof template !== 'string') return undefined;
  for (const [text, name = ''] of template.matchAll(BRACES))
    if (!isPortName(name.trim()))
      return `${text} is not replaced. The name of a token begins with a letter, and has only letters, digits, _ and -.`;
  return undefined;
}

/** Yields the names of the `{{tokens}}` in order, including repetitions. */
export function* listTokens(text: string): Generator<string> {
  for (const [, name] of text.matchAll(TOKEN)) if (isPortName(name)) yield name;
}

/** Returns the names of the inputs of a text template. */
export function getTemplateTokens(template: unknown): string[] {
  if (typeof template !== 'string') return [];
  const names = new Set<string>();
  for (const name of listTokens(template)) {
    // `template` is a field of this node and cannot be a port as well.
    if (name !== 'template') names.add(name);
    if (names.size === MAX_CONFIG_PORTS) break;
  }
  return [...names];
}

/** Returns the outputs of a JSON extractor by name, each with the path that it reads. */
export function getExtractedPaths(paths: unknown): Readonly<Record<string, string>> {
  const validPaths = Object.entries(toObject(paths)).filter(
    (pair): pair is [string, string] => isPortName(pair[0]) && typeof pair[1] === 'string',
  );
  return Object.fromEntries(validPaths.slice(0, MAX_CONFIG_PORTS));
}

/** Returns the names of the inputs of a JSON builder. */
export function getBuiltKeys(keys: unknown): string[] {
  if (!Array.isArray(keys)) return [];
  // `keys` is a field of this node and cannot be a port as well.
  return [...new Set(keys.filter(isPortName))].filter(name => name !== 'keys').slice(0, MAX_CONFIG_PORTS);
}

/** Returns the outputs of a switch besides `default`, each with the value that selects it. */
export function getSwitchCases<T>(cases: Readonly<Record<string, T>> | undefined): (readonly [string, T])[] {
  return Object.entries(toObject(cases) as Readonly<Record<string, T>>)
    .filter(([name]) => isPortName(name) && name !== 'default')
    .slice(0, MAX_CASES);
}

export interface ConfigPort {
  readonly id: string;
  readonly type: PortType;
}

/** The fields of a code node, which cannot be ports as well. */
const CODE_FIELDS: ReadonlySet<string> = new Set(['code', 'inputs', 'outputs', 'timeoutMs', 'memoryMb']);

/** Returns the valid ports that a code node lists as `[{ id, type }]`. */
export function getCodePorts(list: unknown): readonly ConfigPort[] {
  return listDistinct(list, isCodePort).slice(0, MAX_CONFIG_PORTS);
}

/** Returns whether a field lists ports, which the node shows. */
export const listsPorts = ({ default: ports }: { readonly default?: unknown }): boolean =>
  Array.isArray(ports) && ports.length > 0 && ports.every(isCodePort);

/** Returns the valid ports, the first of each id. */
export function listDistinct<T extends ConfigPort>(
  list: unknown,
  isValid: (item: unknown) => item is T,
): T[] {
  const ports = new Map<string, T>();
  for (const item of Array.isArray(list) ? list : [])
    if (isValid(item) && !ports.has(item.id)) ports.set(item.id, item);
  return [...ports.values()];
}

/** Returns whether the item is a port that a code node may have. */
export function isCodePort(item: unknown): item is ConfigPort {
  return (
    isObject(item) &&
    isPortName(item.id) &&
    !CODE_FIELDS.has(item.id) &&
    PORT_TYPES.includes(item.type as PortType)
  );
}

/**
 * A port of a component call. The id of the port is the id of an input or output node, so that connections survive a new
 * order or label of the nodes.
 */
export interface ComponentPort extends ConfigPort {
  readonly label: string;
  /** Set for a media input without a file, which a call has to provide. */
  readonly required?: true;
}

/** Returns the ports that a component call lists as `[{ id, label, type }]`, each id once. */
export function getComponentPorts(list: unknown): readonly ComponentPort[] {
  return listDistinct(list, isComponentPort);
}

/** Returns the ports of a component call. Its inputs accept edges only: entered values are in `config.values`. */
export function getCallPorts(config: JsonObject): Pick<ResolvedPorts, 'inputs' | 'outputs'> {
  const values = toObject(config.values);
  return {
    inputs: getComponentPorts(config.inputs).map(({ id, label, type, required }) => ({
      id,
      label,
      type,
      isPort: true,
      wiredOnly: true,
      ...(required && !Object.hasOwn(values, id) ? { required: true } : {}),
    })),
    outputs: getComponentPorts(config.outputs).map(({ id, label, type }) => ({
      id,
      label,
      type,
      isPort: true,
    })),
  };
}

function isComponentPort(item: unknown): item is ComponentPort {
  return (
    isObject(item) &&
    typeof item.id === 'string' &&
    item.id !== '' &&
    typeof item.label === 'string' &&
    PORT_TYPES.includes(item.type as PortType)
  );
}

/**
 * Returns the inputs of a node that may choose a named server by `config.server`. With a server, its calls need no
 * `maxCredits`, because they may be free, and its images may have any size.
 */
export function relaxForServer(inputs: readonly InputDef[], { server }: JsonObject): readonly InputDef[] {
  return typeof server === 'string' && server !== '' ? inputs.map(relaxInput) : inputs;
}

function relaxInput(input: InputDef): InputDef {
  if (input.id === 'maxCredits') {
    const { required: _, ...optionalInput } = input;
    return optionalInput;
  }
  return allowAnySize(input);
}

/** Returns the input as it is, except for the size of an image, which may then have any value. */
export function allowAnySize(input: InputDef): InputDef {
  if (input.id !== 'size') return input;
  const { enum: _, ...anySize } = input;
  return { ...anySize, description: ANY_SIZE };
}

const ANY_SIZE =
  'Width and height in pixels, such as 768x512: from 256 to 4096 in steps of 8; auto: chosen by the server.';
