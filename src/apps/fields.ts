// Builds the form of an app as fields and as a JSON Schema, and parses submitted values. Visitors do not learn the ids and
// labels of nodes, and of their values only the defaults of the fields.

import { type Control, getControl } from '../graph/app-controls.ts';
import { getInputNames } from '../graph/input-names.ts';
import type { Plan } from '../graph/plan.ts';
import type { Graph, GraphNode, Json, JsonObject } from '../graph/types.ts';
import { hasAtMost } from '../lib/cut-text.ts';
import { AppError, type Issue } from '../lib/errors.ts';
import type { AppInput, AppSettings } from './store/apps.ts';

/** An input with its defaults filled in. */
export interface AppField extends AppInput {
  /** The field's name for visitors: `input_1`, `input_2` and so on. */
  readonly key: string;
  /** The name of the input node, which requests may use instead of the key. The form does not show it. */
  readonly name: string;
  readonly nodeType: string;
  readonly label: string;
  readonly control: Control;
  readonly choices: readonly string[];
  readonly maxLength: number;
  readonly isRequired: boolean;
  /** Whether a run without this input uses a value that the workflow has. */
  readonly hasOwnValue: boolean;
  /** The file that the workflow has for an optional input. */
  readonly ownFile: JsonObject | undefined;
  /** The text that the field has at first: that of controls that always have one, or the value that the workflow has. */
  readonly initial: string | undefined;
}

export interface AppOutput {
  /** The output's name for visitors: `output_1`, `output_2` and so on. */
  readonly key: string;
  readonly nodeId: string;
  readonly label: string;
  /** Whether the page shows the label. A single output with a default label needs none. */
  readonly hasCaption: boolean;
  readonly type: string;
}

const DEFAULT_MAX_LENGTH = 10_000;
const MAX_LIST_ITEMS = 1000;

const INPUT_LABELS: Readonly<Record<string, string>> = {
  'input:text': 'Text',
  'input:number': 'Number',
  'input:json': 'Data',
  'input:list': 'List',
  'input:image': 'Image',
  'input:video': 'Video',
  'input:audio': 'Audio',
};

/** Returns the fields in the order of the form. */
export function listFields({ inputs }: AppSettings, graph: Graph): readonly AppField[] {
  const nodes = new Map(graph.nodes.map(node => [node.id, node]));
  const names = getInputNames(graph.nodes);
  const labels = numberRepeated(
    inputs.map(({ nodeId }) => INPUT_LABELS[nodes.get(nodeId)?.data.nodeType ?? ''] ?? 'Input'),
  );
  return inputs.flatMap((input, index) => {
    const node = nodes.get(input.nodeId);
    if (node === undefined) return [];
    const name = names.get(node.id) ?? node.id;
    return [toField(input, node, { index, name, defaultLabel: labels[index] ?? '' })];
  });
}

function toField(
  input: AppInput,
  { data: { nodeType, config = {} } }: GraphNode,
  {
    index,
    name,
    defaultLabel,
  }: { readonly index: number; readonly name: string; readonly defaultLabel: string },
): AppField {
  const control = getControl(input, nodeType);
  const fixedInitial = findInitial(control, input, config.value);
  const isRequired = input.isRequired ?? false;
  const maxLength = input.maxLength ?? DEFAULT_MAX_LENGTH;
  // A required field is empty at first, so that the visitor is asked for a value.
  const isOptional = !isRequired && fixedInitial === undefined;
  const showsOwn = isOptional && input.showsDefault === true;
  return {
    ...input,
    key: `input_${index + 1}`,
    name,
    nodeType,
    label: input.label ?? defaultLabel,
    control,
    choices: input.choices ?? [],
    maxLength,
    isRequired,
    hasOwnValue: isOptional && OWN_VALUE_KEYS.some(key => isFilled(config[key])),
    ownFile: showsOwn && control === 'media' ? findOwnFile(config) : undefined,
    initial: fixedInitial ?? (showsOwn ? findOwnText(nodeType, config, maxLength) : undefined),
  };
}

/** Returns the value of an input node as the text of its field, unless the text does not fit. */
function findOwnText(nodeType: string, { value, items }: JsonObject, maxLength: number): string | undefined {
  if (nodeType === 'input:list') {
    if (!Array.isArray(items) || items.length === 0 || items.length > MAX_LIST_ITEMS) return undefined;
    const lines = items.map(toLine);
    const text = lines.join('\n');
    return lines.includes(undefined) || text.length > DEFAULT_MAX_LENGTH ? undefined : text;
  }
  // A list in place of a single value has no text.
  if (Array.isArray(items) || !isFilled(value) || !isShort(value, { left: DEFAULT_MAX_LENGTH }))
    return undefined;
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return hasAtMost(text, Math.min(maxLength, DEFAULT_MAX_LENGTH)) ? text : undefined;
}

/** Returns whether the characters and values of the JSON fit, without serializing a long one for each visitor. */
function isShort(value: Json | undefined, budget: { left: number }): boolean {
  budget.left -= typeof value === 'string' ? value.length : 1;
  if (typeof value !== 'object' || value === null) return budget.left >= 0;
  for (const key in value) {
    budget.left -= key.length;
    if (budget.left < 0 || !isShort((value as JsonObject)[key], budget)) return false;
  }
  return budget.left >= 0;
}

const toLine = (item: Json): string | undefined =>
  typeof item === 'number' || (typeof item === 'string' && item.trim() !== '' && !item.includes('\n'))
    ? String(item)
    : undefined;

function findOwnFile({ url, mediaId }: JsonObject): JsonObject | undefined {
  if (typeof mediaId === 'string' && mediaId !== '') return { mediaId };
  return typeof url === 'string' && url !== '' ? { url } : undefined;
}

/** The config keys of input nodes that have a value. */
const OWN_VALUE_KEYS = ['value', 'items', 'url', 'mediaId'];

function isFilled(value: Json | undefined): boolean {
  if (value === undefined || value === null || value === '') return false;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}

function findInitial(
  control: Control,
  { min = 0, max = 0, choices = [] }: AppInput,
  value: unknown,
): string | undefined {
  if (control === 'slider')
    return String(typeof value === 'number' ? Math.min(max, Math.max(min, value)) : min);
  if (control === 'choice') return choices.includes(String(value)) ? String(value) : choices[0];
  if (control === 'switch') return value === true || value === 1 ? 'true' : 'false';
  return undefined;
}

/** Adds a number to labels that occur more than once. */
function numberRepeated(labels: readonly string[]): readonly string[] {
  return labels.map((label, index) => {
    if (labels.indexOf(label) === labels.lastIndexOf(label)) return label;
    return `${label} ${labels.slice(0, index + 1).filter(other => other === label).length}`;
  });
}

const OUTPUT_LABELS: Readonly<Record<string, string>> = {
  TEXT: 'Text',
  NUMBER: 'Number',
  JSON: 'Data',
  IMAGE: 'Image',
  VIDEO: 'Video',
  AUDIO: 'Audio',
};

/** Returns the outputs in the order shown. */
export function listAppOutputs(
  { outputs, outputLabels = {} }: AppSettings,
  plan: Plan,
): readonly AppOutput[] {
  const nodes = new Map(plan.nodes.map(node => [node.id, node]));
  const types = outputs.map(id => findOutputType(plan, nodes.get(id)));
  const defaultLabels = numberRepeated(types.map(type => OUTPUT_LABELS[type] ?? 'Result'));
  const labels = new Map(Object.entries(outputLabels));
  return outputs.map((nodeId, index) => ({
    key: `output_${index + 1}`,
    nodeId,
    label: labels.get(nodeId) ?? defaultLabels[index] ?? '',
    hasCaption: outputs.length > 1 || labels.has(nodeId),
    type: types[index] ?? 'ANY',
  }));
}

/** Returns the type of a node's first output, or, if it is ANY, the type of the output connected to the node. */
function findOutputType(plan: Plan, node: Plan['nodes'][number] | undefined): string {
  const [output] = node?.outputDefs ?? [];
  if (output !== undefined && output.type !== 'ANY') return output.type;
  const [input] = node?.inputs ?? [];
  const source = input && plan.nodes[input.sourceIndex];
  return source?.outputDefs.find(({ id }) => id === input?.sourcePort)?.type ?? 'ANY';
}

/** Returns the JSON Schema of `inputs`. */
export function toInputSchema(fields: readonly AppField[]): JsonObject {
  return {
    type: 'object',
    additionalProperties: false,
    required: fields.filter(({ isRequired }) => isRequired).map(({ key }) => key),
    properties: Object.fromEntries(fields.map(field => [field.key, toPropertySchema(field)])),
  };
}

function toPropertySchema(field: AppField): JsonObject {
  const { label, help, placeholder, initial } = field;
  const description = {
    title: label,
    ...(help === undefined ? {} : { description: help }),
    ...(placeholder === undefined ? {} : { examples: [placeholder] }),
    ...(initial === undefined ? {} : { default: parseText(field, initial) ?? '' }),
  };
  return { ...description, ...toValueSchema(field) };
}

function toValueSchema({ nodeType, control, choices, min, max, maxLength }: AppField): JsonObject {
  if (control === 'media')
    return {
      type: 'object',
      properties: { mediaId: { type: 'string' } },
      required: ['mediaId'],
      'x-media': nodeType.slice('input:'.length),
    };
  if (control === 'switch') return { type: 'boolean' };
  if (nodeType === 'input:number')
    return {
      type: 'number',
      ...(choices.length > 0 ? { enum: choices.map(Number) } : {}),
      ...(min === undefined ? {} : { minimum: min }),
      ...(max === undefined ? {} : { maximum: max }),
    };
  if (nodeType === 'input:list')
    return { type: 'array', items: { type: ['string', 'number'] }, maxItems: MAX_LIST_ITEMS };
  if (choices.length > 0) return { enum: [...choices] };
  return nodeType === 'input:json' ? {} : { type: 'string', maxLength };
}

export interface ParsedInputs {
  /** By node id. */
  readonly values: JsonObject;
  /** The media that the values refer to, with the keys of their fields. */
  readonly media: readonly { readonly key: string; readonly mediaId: string }[];
}

/** Checks the values of a request, by the keys or names of the fields. Throws 400 `invalid_inputs` with an issue for each field. */
export function parseFieldValues(fields: readonly AppField[], inputs: JsonObject): ParsedInputs {
  const issues: Issue[] = [];
  const values: Record<string, Json> = {};
  const media: { key: string; mediaId: string }[] = [];
  const fieldsByKey = new Map([
    ...fields.map(field => [field.name, field] as const),
    ...fields.map(field => [field.key, field] as const),
  ]);
  const sent = new Map<AppField, Json>();
  for (const [key, value] of Object.entries(inputs)) {
    const field = fieldsByKey.get(key);
    if (field === undefined) issues.push(createInputIssue(key.slice(0, 100), 'The app has no such input.'));
    else if (sent.has(field))
      issues.push(createInputIssue(key, `This input is also sent as another key. Send only one.`));
    else sent.set(field, value);
  }
  for (const field of fields) {
    const value = sent.get(field);
    if (value === undefined || value === null || value === '') {
      if (field.isRequired) issues.push(createInputIssue(field.key, `${field.label}: Fill in this field.`));
      continue;
    }
    const result = convertValue(field, value);
    if ('problem' in result) issues.push(createInputIssue(field.key, `${field.label}: ${result.problem}`));
    else {
      values[field.nodeId] = result.value;
      if (result.mediaId !== undefined) media.push({ key: field.key, mediaId: result.mediaId });
    }
  }
  if (issues.length > 0) throw createInvalidInputsError(issues);
  return { values, media };
}

export const createInputIssue = (key: string, message: string): Issue => ({
  path: `/inputs/${key}`,
  code: 'invalid_inputs',
  message,
});

export function createInvalidInputsError(issues: readonly Issue[]): AppError {
  return new AppError('invalid_inputs', issues[0]?.message ?? 'An input is invalid.', {
    issues: issues.slice(0, 100),
  });
}

type ConversionResult = { readonly problem: string } | { readonly value: Json; readonly mediaId?: string };

function convertValue(field: AppField, value: Json): ConversionResult {
  const { control, nodeType, choices } = field;
  if (control === 'media') return convertMedia(value);
  if (control === 'switch') return convertSwitch(nodeType, value);
  if (control === 'choice' && !choices.includes(String(value)))
    return { problem: `Choose one of ${choices.join(', ')}.` };
  if (nodeType === 'input:number') return convertNumber(field, value);
  if (nodeType === 'input:list') return convertList(field, value);
  if (nodeType === 'input:json') return { value };
  if (typeof value !== 'string' && typeof value !== 'number') return { problem: 'Write a text.' };
  const text = String(value);
  return hasAtMost(text, field.maxLength)
    ? { value: text }
    : { problem: `Write at most ${field.maxLength} characters.` };
}

function convertMedia(value: Json): ConversionResult {
  const mediaId =
    typeof value === 'object' && value !== null && 'mediaId' in value ? value.mediaId : undefined;
  return typeof mediaId === 'string' ? { value: { mediaId }, mediaId } : { problem: 'Upload a file.' };
}

function convertSwitch(nodeType: string, value: Json): ConversionResult {
  if (typeof value !== 'boolean') return { problem: 'Choose on or off.' };
  return { value: nodeType === 'input:number' ? Number(value) : value };
}

function convertNumber({ min, max }: AppField, value: Json): ConversionResult {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number)) return { problem: 'Write a number.' };
  if (min !== undefined && number < min) return { problem: `Write a number of ${min} or more.` };
  if (max !== undefined && number > max) return { problem: `Write a number of ${max} or less.` };
  return { value: number };
}

function convertList({ maxLength }: AppField, value: Json): ConversionResult {
  if (!Array.isArray(value)) return { problem: 'Write one item per line.' };
  if (value.length > MAX_LIST_ITEMS) return { problem: `Write at most ${MAX_LIST_ITEMS} lines.` };
  const isItem = (item: Json): boolean =>
    (typeof item === 'string' && hasAtMost(item, maxLength)) || typeof item === 'number';
  return value.every(isItem) ? { value } : { problem: `Write texts of at most ${maxLength} characters.` };
}

/** Converts the text of a form control to the value of a request, or to undefined if the control is empty. */
export function parseText({ control, nodeType }: AppField, sentText: string): Json | undefined {
  // HTML forms send each line break as CRLF.
  const text = sentText.replaceAll(/\r\n?/g, '\n');
  if (control === 'switch') return text === 'true' || text === 'on';
  if (text.trim() === '') return undefined;
  if (control === 'media') return { mediaId: text };
  if (nodeType === 'input:number') return Number.isFinite(Number(text)) ? Number(text) : text;
  if (nodeType === 'input:list') return text.split('\n').filter(line => line.trim() !== '');
  if (nodeType !== 'input:json' || control === 'choice') return text;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
