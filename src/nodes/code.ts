// Declares the node that runs a program of the user.
import { type ConfigPort, getCodePorts, isCodePort, MAX_CONFIG_PORTS } from '../graph/config-ports.ts';
import { isObject, type Json, type Value } from '../graph/types.ts';
import { isMediaType, jsonToValue, toValue } from '../graph/values.ts';
import { MAX_PROGRAM_BYTES, type ProgramError } from '../sandbox/program.ts';
import { runProgram } from '../sandbox/run-program.ts';
import { any, defineNode, json, NodeError, number, type Spec, text } from './define.ts';
import { parseBoundedJson, requireShortList, requireShortText } from './value-checks.ts';

const MAX_CODE_LENGTH = 100_000;

export const code = defineNode({
  nodeType: 'utility:code',
  label: 'Code',
  description:
    'Runs a TypeScript or JavaScript program on its inputs, without network, files or clock. The program is an ES module whose default export receives the inputs by name and returns the outputs by name. Media arrive as { url, contentType, width, height, duration } and can be returned.',
  category: 'utility',
  inputs: {},
  config: {
    code: text('Code', { default: 'export default ({ a }) => ({ out: a });', isPrimary: true }),
    inputs: json('Inputs', {
      default: [{ id: 'a', type: 'ANY' }],
      description: 'The input ports, for example [{ "id": "prompt", "type": "TEXT" }].',
    }),
    outputs: json('Outputs', {
      default: [{ id: 'out', type: 'ANY' }],
      description: 'The output ports, for example [{ "id": "title", "type": "TEXT" }].',
    }),
    timeoutMs: number('Time limit in milliseconds', { default: 5000, min: 100, max: 30_000, integer: true }),
    memoryMb: number('Memory limit in MB', { default: 64, min: 8, max: 256, integer: true }),
  },
  outputs: {},
  dynamicPorts: {
    note: `One input for each item of config.inputs and one output for each item of config.outputs, ${MAX_CONFIG_PORTS} of each at most.`,
    resolve: config => ({
      inputs: toSpecs(config.inputs),
      outputs: toSpecs(config.outputs),
      problem: findProblem(config.inputs, 'inputs') ?? findProblem(config.outputs, 'outputs'),
    }),
  },
  requires: 'code',
  // A program gives the same result for the same input.
  cache: true,
  run: async (values, { signal, task }) => {
    const { code: source, timeoutMs, memoryMb } = values;
    if (source.length > MAX_CODE_LENGTH) {
      const message = `The code has ${source.length} characters. The maximum is ${MAX_CODE_LENGTH}.`;
      throw new NodeError('invalid_program', message);
    }
    const media: ReceivedMedia = new Map();
    const inputs = getCodePorts(values.inputs).flatMap(port => {
      const value = values[port.id];
      return value === undefined ? [] : [[port.id, toProgramInput(value, port, media)] as const];
    });
    const input = JSON.stringify(Object.fromEntries(inputs));
    if (Buffer.byteLength(input) > MAX_PROGRAM_BYTES) {
      const message = `The inputs are more than ${MAX_PROGRAM_BYTES} bytes of JSON.`;
      throw new NodeError('program_input_too_large', message);
    }
    const program = { code: source, input, timeoutMs, memoryMb };
    const result = await runProgram(program, { signal });
    if (result.log !== '') task.log(result.log);
    if ('error' in result) throw new NodeError(result.error.code, formatError(result.error));
    return readOutputs(result.output, values.outputs, media);
  },
});

const toSpecs = (list: unknown): Readonly<Record<string, Spec<unknown>>> =>
  Object.fromEntries(getCodePorts(list).map(({ id, type }) => [id, { ...any(id), type }]));

/** Returns a sentence that says what is wrong with the list of ports, or undefined if it is valid. */
function findProblem(list: unknown, field: string): string | undefined {
  if (!Array.isArray(list)) return `${field} must be a list such as [{ "id": "a", "type": "TEXT" }].`;
  if (list.length > MAX_CONFIG_PORTS) return `${field} has more than ${MAX_CONFIG_PORTS} ports.`;
  const invalid = list.findIndex(item => !isCodePort(item));
  if (invalid !== -1)
    return `${field}[${invalid}] must have an id (letters, digits, _ and -; not the name of a field of this node) and a type such as TEXT, NUMBER, JSON, IMAGE, LIST or ANY.`;
  return getCodePorts(list).length < list.length ? `${field} has two ports with the same id.` : undefined;
}

/** The media that the program received, by URL. The program can return only these media. */
type ReceivedMedia = Map<string, Value & { readonly media: unknown }>;

/** Converts the plain value at a port. JSON that looks like a tagged value is still JSON. */
function toProgramInput(value: unknown, { id, type }: ConfigPort, media: ReceivedMedia): Json {
  if (type === 'JSON') return value as Json;
  const tagged = toValue(type === 'LIST' ? { type, items: value } : value, { id, label: id, type });
  return toProgramValue(tagged, media);
}

function toProgramValue(value: Value, media: ReceivedMedia): Json {
  if (value.type === 'TEXT') return value.text;
  if (value.type === 'NUMBER') return value.number;
  if (value.type === 'JSON') return value.json;
  if (value.type === 'LIST') return value.items.map(item => toProgramValue(item, media));
  const { url, contentType, width, height, duration } = value.media;
  media.set(url, value);
  return { url, contentType, width, height, duration };
}

function readOutputs(output: string, ports: unknown, media: ReceivedMedia): Record<string, Value> {
  const json = parseBoundedJson(output);
  if (!isObject(json)) throw new NodeError('invalid_output', 'The outputs are nested too deeply.');
  const outputs = json as { readonly [id: string]: Json };
  return Object.fromEntries(
    getCodePorts(ports).flatMap(({ id, type }) => {
      const value = Object.hasOwn(outputs, id) ? outputs[id] : undefined;
      return value === undefined || (value === null && type !== 'JSON')
        ? []
        : [[id, toOutput(value, { id, type }, media)] as const];
    }),
  );
}

function toOutput(json: Json, { id, type }: ConfigPort, media: ReceivedMedia): Value {
  const receivedMedia = isObject(json) && typeof json.url === 'string' ? media.get(json.url) : undefined;
  if (type === 'ANY') return receivedMedia ?? requireTextValue(jsonToValue(json));
  if (type === 'JSON') return { type, json };
  if (type === 'LIST' && Array.isArray(json))
    return { type, items: requireShortList(json.map(item => toOutput(item, { id, type: 'ANY' }, media))) };
  if (type === 'TEXT' && typeof json === 'string') return { type, text: requireShortText(json) };
  if (type === 'NUMBER' && typeof json === 'number') return { type, number: json };
  if (receivedMedia?.type === type) return receivedMedia;
  const description = isMediaType(type)
    ? `an ${type} that the program received`
    : `${EXPECTED[type as keyof typeof EXPECTED]}`;
  throw new NodeError('invalid_output', `The output "${id}" must be ${description}.`);
}

const EXPECTED = { TEXT: 'a string', NUMBER: 'a finite number', LIST: 'an array' };

function requireTextValue(value: Value): Value {
  if (value.type === 'TEXT') requireShortText(value.text);
  return value;
}

function formatError({ message, line, column }: ProgramError): string {
  if (line === undefined) return message;
  return `${message} (line ${line}${column === undefined ? '' : `, column ${column}`})`;
}
