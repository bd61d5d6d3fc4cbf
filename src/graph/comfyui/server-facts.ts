// Extracts from ComfyUI's `/object_info` what is needed to choose a server: its node types, and its model files by input.
import { isObject } from '../types.ts';

/** The facts as they are stored. Most lists of files are repeated, so each is stored once. */
export interface CompactFacts {
  readonly types: readonly string[];
  /** Indexes of the types that call external models, which bill. */
  readonly partners: readonly number[];
  readonly lists: readonly (readonly string[])[];
  /** Inputs whose value is a model file: index of the type, name of the input, index of the list. */
  readonly inputs: readonly (readonly [type: number, input: string, list: number])[];
}

/** The facts of a server in memory. Servers share equal parts. */
export interface ServerFacts {
  readonly types: ReadonlySet<string>;
  readonly partnerTypes: ReadonlySet<string>;
  /** The files that each input accepts, by `toInputKey`. */
  readonly files: ReadonlyMap<string, ReadonlySet<string>>;
}

const MAX_TYPES = 20_000;
const MAX_INPUTS = 20_000;
const MAX_FILES = 100_000;
const MAX_NAME_LENGTH = 512;

/** The names of inputs that choose model files, also without an extension, such as those of folders. */
const FILE_INPUT =
  /^(?:ckpt|unet|vae|lora|control_net|clip|clip_vision|style_model|gligen|hypernetwork|model|upscale_model|photomaker_model|audio_encoder|text_encoder|diffusion_model)_name_?\d*$/;
const FILE_NAME = /\.(?:safetensors|sft|ckpt|pth?|bin|gguf|onnx|engine|msgpack|patch)$/i;

/** Returns whether the value of the input names a model file. */
export const isModelFile = (input: string, value: unknown): value is string =>
  typeof value === 'string' && (FILE_NAME.test(value) || FILE_INPUT.test(input));

export const toInputKey = (type: string, input: string): string => `${type}\n${input}`;

/** Windows servers name files in folders with backslashes. */
export const normalizeFile = (name: string): string => name.replaceAll('\\', '/');

/** Returns the facts, or a sentence that says why they cannot be read. */
export function readObjectInfo(objectInfo: unknown): CompactFacts | string {
  if (!isObject(objectInfo)) return 'The server’s list of node types is not a JSON object.';
  const entries = Object.entries(objectInfo);
  if (entries.length > MAX_TYPES)
    return `The server has more than ${MAX_TYPES.toLocaleString('en-US')} node types.`;
  const types: string[] = [];
  const partners: number[] = [];
  const lists: (readonly string[])[] = [];
  const listIndexes = new Map<string, number>();
  const inputs: [number, string, number][] = [];
  let fileCount = 0;
  for (const [type, info] of entries) {
    if (type.length > MAX_NAME_LENGTH || !isObject(info)) continue;
    const typeIndex = types.push(type) - 1;
    if (info.api_node === true) partners.push(typeIndex);
    for (const [name, choices] of listChoices(info.input)) {
      const files = choices.filter(choice => choice.length <= MAX_NAME_LENGTH);
      if (!files.some(file => isModelFile(name, file)) && !FILE_INPUT.test(name)) continue;
      const key = JSON.stringify(files);
      const known = listIndexes.get(key);
      const listIndex = known ?? lists.push(files) - 1;
      if (known === undefined) {
        listIndexes.set(key, listIndex);
        fileCount += files.length;
      }
      inputs.push([typeIndex, name, listIndex]);
    }
    if (fileCount > MAX_FILES || inputs.length > MAX_INPUTS) return 'The server lists too many model files.';
  }
  return types.length === 0 ? 'The server lists no node types.' : { types, partners, lists, inputs };
}

/** Returns the inputs with a list of choices: `[choices, options]`, or `["COMBO", { options }]` in newer versions. */
function listChoices(input: unknown): readonly (readonly [name: string, choices: readonly string[]])[] {
  if (!isObject(input)) return [];
  return [input.required, input.optional].flatMap(group =>
    !isObject(group)
      ? []
      : Object.entries(group).flatMap(([name, definition]) => {
          if (name.length > MAX_NAME_LENGTH || !Array.isArray(definition)) return [];
          const [type, options] = definition;
          const choices = Array.isArray(type) ? type : isObject(options) ? options.options : undefined;
          if (!Array.isArray(choices) || (!Array.isArray(type) && type !== 'COMBO')) return [];
          const texts = choices.filter(choice => typeof choice === 'string');
          return texts.length < choices.length ? [] : [[name, texts] as const];
        }),
  );
}

/** The most lists that a list is compared with. */
const MAX_SIMILAR = 20;

/** Turns stored facts into the form in memory. Equal strings and lists of different servers are the same objects. */
export class FactsReader {
  readonly #strings = new Map<string, string>();
  /** Sets with the same size and first text. */
  readonly #sets = new Map<string, ReadonlySet<string>[]>();

  /** The number of strings that the reader keeps. */
  get size(): number {
    return this.#strings.size;
  }

  read({ types, partners, lists, inputs }: CompactFacts): ServerFacts {
    const sets = lists.map(list => this.#toSet(list.map(normalizeFile)));
    const none: ReadonlySet<string> = new Set();
    return {
      types: this.#toSet(types),
      partnerTypes: this.#toSet(partners.map(index => types[index] ?? '')),
      files: new Map(
        inputs.map(([type, input, list]) => [
          this.#toString(toInputKey(types[type] ?? '', input)),
          sets[list] ?? none,
        ]),
      ),
    };
  }

  #toString(text: string): string {
    const known = this.#strings.get(text);
    if (known !== undefined) return known;
    this.#strings.set(text, text);
    return text;
  }

  #toSet(texts: readonly string[]): ReadonlySet<string> {
    const set = new Set(texts.map(text => this.#toString(text)));
    const key = `${set.size} ${texts[0] ?? ''}`;
    const similar = this.#sets.get(key) ?? [];
    const known = similar.find(other => set.isSubsetOf(other));
    if (known !== undefined) return known;
    if (similar.length < MAX_SIMILAR) this.#sets.set(key, [...similar, set]);
    return set;
  }
}
