// Defines what is known of ComfyUI's node types, and reads it from a server's `/object_info` or from the table that ships
// with the service.
import { isObject, type Json, type UnknownObject } from '../types.ts';

/**
 * A value that a node of the type stores by its position. `control`: a control value follows, such as `randomize`.
 * `upload`: the value of a button follows in some files. `socket`: a widget whose input accepts only connections; older
 * files have a value for it.
 */
export interface Widget {
  readonly name: string;
  readonly type: string;
  /** undefined if it depends on the server, such as the first of its model files. */
  readonly default?: Json;
  readonly flag?: 'control' | 'upload' | 'socket';
  /** For a combination whose choice adds widgets: the widgets of each choice, named without the prefix. */
  readonly choices?: Readonly<Record<string, readonly Widget[]>>;
}

export interface NodeType {
  readonly widgets: readonly Widget[];
  /** Inputs without which the server refuses every output that needs the node. */
  readonly required: readonly string[];
  /** The types of the outputs. */
  readonly outputs: readonly string[];
  /** Set if the server runs the node although no other node needs it. */
  readonly isOutput?: boolean;
  /** Set for a node that calls a paid service through the account at comfy.org. */
  readonly isPartner?: boolean;
}

export interface NodeTypes {
  find(type: string): NodeType | undefined;
}

const WIDGET_TYPES: ReadonlySet<string> = new Set(['COMBO', 'INT', 'FLOAT', 'STRING', 'BOOLEAN']);
const DYNAMIC_COMBO = 'COMFY_DYNAMICCOMBO_V3';
/** Types that frontends draw as widgets although they are not basic types. */
const EXTRA_WIDGET_TYPES: ReadonlySet<string> = new Set([
  DYNAMIC_COMBO,
  'COLOR',
  'BOUNDING_BOX',
  'CURVE',
  'IMAGECOMPARE',
  'LOAD_3D',
  'LOAD_3D_ANIMATION',
  'PREVIEW_3D',
  'AUDIO_RECORD',
  'WEBCAM',
]);
const SEED_NAMES: ReadonlySet<string> = new Set(['seed', 'noise_seed']);
const UPLOAD_OPTIONS = ['image_upload', 'video_upload', 'audio_upload', 'animated_image_upload'];
/** Choices that are files of the server or of the user. */
const FILE_NAME = /\.(?:safetensors|sft|ckpt|pth?|bin|gguf|onnx|png|jpe?g|webp|mp4|mp3|wav|flac|glb)$/i;

/** Reads one type of `/object_info`. Returns undefined if it is malformed. */
export function readNodeInfo(info: unknown): NodeType | undefined {
  if (!isObject(info) || !isObject(info.input)) return undefined;
  const order = isObject(info.input_order) ? info.input_order : {};
  const inputs = (['required', 'optional'] as const).flatMap(part => {
    const defined = isObject(info.input) ? info.input[part] : undefined;
    if (!isObject(defined)) return [];
    const names = Array.isArray(order[part]) ? order[part] : Object.keys(defined);
    return names
      .filter((name): name is string => typeof name === 'string' && Object.hasOwn(defined, name))
      .map(name => ({ name, spec: defined[name], isRequired: part === 'required' }));
  });
  return {
    widgets: inputs.flatMap(({ name, spec }) => readWidget(name, spec) ?? []),
    required: inputs
      .filter(({ name, spec, isRequired }) => isRequired && !isTemplate(spec) && !isValue(name, spec))
      .map(({ name }) => name),
    outputs: Array.isArray(info.output) ? info.output.map(readType) : [],
    ...(info.output_node === true ? { isOutput: true } : {}),
    ...(info.api_node === true ? { isPartner: true } : {}),
  };
}

const readType = (type: unknown): string => (typeof type === 'string' ? type : 'COMBO');

/** Whether the input stands for several inputs with other names, such as `images.image0`. */
const isTemplate = (spec: unknown): boolean =>
  Array.isArray(spec) && typeof spec[0] === 'string' && spec[0].startsWith('COMFY_AUTOGROW');

/** Whether the node itself provides the value, so that no connection is needed. */
function isValue(name: string, spec: unknown): boolean {
  const widget = readWidget(name, spec);
  return widget !== undefined && widget.flag !== 'socket';
}

function readWidget(name: string, spec: unknown): Widget | undefined {
  if (!Array.isArray(spec)) return undefined;
  const [kind, rawOptions] = spec;
  const options = isObject(rawOptions) ? rawOptions : {};
  const type = readType(kind);
  const isWidget =
    WIDGET_TYPES.has(type) || EXTRA_WIDGET_TYPES.has(type) || typeof options.widgetType === 'string';
  if (!isWidget) return undefined;
  const flag = readFlag(name, type, options);
  const value = readDefault(Array.isArray(kind) ? kind : options.options, type, options);
  const choices = type === DYNAMIC_COMBO ? readChoices(options.options) : undefined;
  return {
    name,
    type,
    ...(value === undefined ? {} : { default: value }),
    ...(flag === undefined ? {} : { flag }),
    ...(choices === undefined ? {} : { choices }),
  };
}

function readFlag(name: string, type: string, options: UnknownObject): Widget['flag'] {
  if (options.forceInput === true) return 'socket';
  const control = options.control_after_generate;
  if (type === 'INT' ? (control ?? SEED_NAMES.has(name)) : type === 'COMBO' && control) return 'control';
  return UPLOAD_OPTIONS.some(option => options[option] === true) ? 'upload' : undefined;
}

function readDefault(choices: unknown, type: string, options: UnknownObject): Json | undefined {
  if (options.default !== undefined) return options.default as Json;
  if (type === 'COMBO' || type === DYNAMIC_COMBO) {
    const [first] = Array.isArray(choices) ? choices : [];
    const value = isObject(first) ? first.key : first;
    return typeof value === 'string' && FILE_NAME.test(value) ? undefined : (value as Json | undefined);
  }
  return { INT: 0, FLOAT: 0, STRING: '', BOOLEAN: false }[type];
}

function readChoices(options: unknown): Record<string, readonly Widget[]> {
  const choices: Record<string, readonly Widget[]> = {};
  for (const option of Array.isArray(options) ? options : []) {
    if (!isObject(option) || typeof option.key !== 'string') continue;
    choices[option.key] = readNodeInfo({ input: option.inputs })?.widgets ?? [];
  }
  return choices;
}

/** A row of the shipped table: widgets, required inputs, types of the outputs, and `output` or `partner`. */
export type NodeTypeRow = readonly [
  widgets: readonly WidgetRow[],
  required: readonly string[],
  outputs: readonly string[],
  ...marks: string[],
];
type WidgetRow = readonly [
  name: string,
  type: string,
  value: Json,
  flag?: string,
  choices?: Readonly<Record<string, readonly WidgetRow[]>>,
];

/** Writes a type as a row of the table. */
export function toRow({ widgets, required, outputs, isOutput, isPartner }: NodeType): NodeTypeRow {
  const marks = [...(isOutput ? ['output'] : []), ...(isPartner ? ['partner'] : [])];
  return [widgets.map(toWidgetRow), required, outputs, ...marks];
}

function toWidgetRow({ name, type, default: value, flag, choices }: Widget): WidgetRow {
  if (choices !== undefined) {
    const rows = Object.entries(choices).map(([key, widgets]) => [key, widgets.map(toWidgetRow)] as const);
    return [name, type, value ?? null, flag ?? '', Object.fromEntries(rows)];
  }
  return flag === undefined ? [name, type, value ?? null] : [name, type, value ?? null, flag];
}

/** Returns the types of the table. */
export function readNodeTypeRows(rows: Readonly<Record<string, NodeTypeRow>>): NodeTypes {
  const cache = new Map<string, NodeType>();
  return {
    find(type) {
      if (!Object.hasOwn(rows, type)) return undefined;
      const cached = cache.get(type) ?? fromRow(rows[type] as NodeTypeRow);
      cache.set(type, cached);
      return cached;
    },
  };
}

function fromRow([widgets, required, outputs, ...marks]: NodeTypeRow): NodeType {
  return {
    widgets: widgets.map(fromWidgetRow),
    required,
    outputs,
    ...(marks.includes('output') ? { isOutput: true } : {}),
    ...(marks.includes('partner') ? { isPartner: true } : {}),
  };
}

function fromWidgetRow([name, type, value, flag = '', choices]: WidgetRow): Widget {
  const lists = Object.entries(choices ?? {}).map(([key, rows]) => [key, rows.map(fromWidgetRow)] as const);
  return {
    name,
    type,
    ...(value === null ? {} : { default: value }),
    ...(flag === '' ? {} : { flag: flag as NonNullable<Widget['flag']> }),
    ...(choices === undefined ? {} : { choices: Object.fromEntries(lists) }),
  };
}
