// Builds a board from a workflow of fal: models and utilities become nodes of ours, references become connections.
import { canFeed } from '../catalog.ts';
import {
  createEdge,
  createKeptNode,
  createNode,
  findInputNode,
  type ImportedBoard,
  type ImportedNode,
  INPUT_NODES,
  type KeptPort,
} from '../imports/board-parts.ts';
import { isInputName } from '../input-names.ts';
import type { FieldType, Json, JsonObject, PortType } from '../types.ts';
import {
  type FalInput,
  type FalNode,
  type FalReference,
  type FalWorkflow,
  isInputReference,
  readReference,
} from './read-workflow.ts';

/** A field of a node of ours. */
export interface FalField {
  readonly id: string;
  readonly type: FieldType;
  readonly isPort: boolean;
  readonly itemType?: PortType;
  readonly enum?: readonly string[];
}

/** The node of ours for an endpoint of fal. */
export interface FalType {
  readonly nodeType: string;
  readonly label: string;
  readonly category: string;
  /** By the name of fal. Several ports take the items of a list one by one. */
  readonly fields: ReadonlyMap<string, FalField | readonly FalField[]>;
  readonly config: JsonObject;
  /** By the first name of a path in the response. */
  readonly outputs: ReadonlyMap<string, { readonly id: string; readonly type: PortType }>;
  readonly defaultOutput: { readonly id: string; readonly type: PortType };
  /** Values of fal with which the node of ours does the same. A value that is not listed has no such node. */
  readonly only?: Readonly<Record<string, readonly Json[]>>;
}

export interface FalTypes {
  find(endpoint: string): FalType | undefined;
}

interface Source {
  readonly id: string;
  readonly port: string;
  readonly type: PortType;
}

const MEDIA: ReadonlySet<string> = new Set(['IMAGE', 'VIDEO', 'AUDIO']);
/** A message names at most this many values. */
const MAX_NAMED = 8;

/** Builds the board. */
export function createFalBoard(workflow: FalWorkflow, types: FalTypes): ImportedBoard {
  return new FalBoard(workflow, types).build();
}

class FalBoard {
  readonly #workflow: FalWorkflow;
  readonly #types: FalTypes;
  readonly #nodeIds: ReadonlySet<string>;
  readonly #ids: ReadonlyMap<string, string>;
  readonly #mapped: ReadonlyMap<string, FalType>;
  readonly #nodes: JsonObject[] = [];
  readonly #edges: JsonObject[] = [];
  readonly #lines: ImportedNode[] = [];
  readonly #inputNodes = new Map<string, Source>();
  readonly #items = new Map<string, Source>();
  /** The ports of kept nodes that others use, by node. */
  readonly #keptOutputs = new Map<string, Map<string, KeptPort>>();

  constructor(workflow: FalWorkflow, types: FalTypes) {
    this.#workflow = workflow;
    this.#types = types;
    const { nodes } = workflow;
    this.#nodeIds = new Set(nodes.map(({ id }) => id));
    this.#ids = new Map(nodes.map(({ id }, index) => [id, `node-${index + 1}`]));
    this.#mapped = new Map(nodes.flatMap(node => this.#findType(node) ?? []));
  }

  build(): ImportedBoard {
    const { nodes, inputNodeId } = this.#workflow;
    const kept = nodes.filter(({ id, kind }) => kind !== 'display' && !this.#mapped.has(id));
    for (const node of nodes)
      for (const value of Object.values(node.values))
        for (const item of Array.isArray(value) ? value : [value]) this.#noteKeptOutput(item);
    for (const node of nodes) {
      const type = this.#mapped.get(node.id);
      if (type !== undefined) this.#addMapped(node, type);
      else if (node.kind === 'display') this.#addDisplay(node);
    }
    for (const node of kept) this.#addKept(node);
    if (inputNodeId !== undefined) this.#lines.push(this.#describeInputs(inputNodeId));
    return { nodes: this.#nodes, edges: this.#edges, lines: this.#lines };
  }

  #findType(node: FalNode): readonly [readonly [string, FalType]] | undefined {
    const type = node.kind === 'run' ? this.#types.find(node.type) : undefined;
    if (type === undefined) return undefined;
    const isSame = Object.entries(type.only ?? {}).every(
      ([name, allowed]) => node.values[name] === undefined || allowed.includes(node.values[name]),
    );
    const hasPorts = [...type.fields].every(([name, field]) => {
      const value = node.values[name];
      return !isFieldList(field) || !Array.isArray(value) || value.length <= field.length;
    });
    return isSame && hasPorts ? [[node.id, type]] : undefined;
  }

  #addMapped(node: FalNode, type: FalType): void {
    const nodeId = this.#ids.get(node.id) ?? '';
    const config: Record<string, Json> = { ...type.config };
    const ignored: string[] = [];
    for (const [name, value] of Object.entries(node.values)) {
      const field = type.fields.get(name);
      const isSet =
        field !== undefined &&
        (isFieldList(field)
          ? this.#setEach(nodeId, field, value)
          : this.#setField(nodeId, field, value, config));
      if (!isSet && !isNeutral(name, value) && type.only?.[name] === undefined) ignored.push(name);
    }
    this.#nodes.push(createNode(nodeId, type.nodeType, toTitle(node, type.label), type.category, config));
    const message =
      ignored.length === 0
        ? undefined
        : `Values without a place in the node: ${ignored.slice(0, MAX_NAMED).join(', ')}.`;
    this.#lines.push(toLine(node, 'mapped', nodeId, message));
  }

  /** Sets ports one by one from the items of a list. */
  #setEach(nodeId: string, fields: readonly FalField[], value: Json): boolean {
    const items = Array.isArray(value) ? (value as readonly Json[]) : [value];
    const config: Record<string, Json> = {};
    return (
      items.length <= fields.length &&
      items.every((item, index) => this.#connect(nodeId, fields[index] as FalField, item, config))
    );
  }

  /** Sets a value, or connects a reference. Returns whether it could. */
  #setField(nodeId: string, field: FalField, value: Json, config: Record<string, Json>): boolean {
    if (field.isPort && (field.type === 'LIST' || Array.isArray(value))) {
      const items = Array.isArray(value) ? (value as readonly Json[]) : [value];
      return items.every(item => this.#connect(nodeId, field, item, config));
    }
    return this.#connect(nodeId, field, value, config);
  }

  #connect(nodeId: string, field: FalField, value: Json, config: Record<string, Json>): boolean {
    const reference = readReference(value, this.#nodeIds);
    const itemType = field.type === 'LIST' ? (field.itemType ?? 'ANY') : field.type;
    if (reference === undefined) {
      if (!field.isPort || !MEDIA.has(itemType)) return setConfig(field, value, config);
      return typeof value === 'string' && this.#addMedia(nodeId, field, itemType, value);
    }
    if (!field.isPort) {
      const fallback = isInputReference(reference) ? this.#findInput(reference)?.default : undefined;
      return fallback !== undefined && setConfig(field, fallback, config);
    }
    const source = this.#findSource(reference, itemType, field.type === 'LIST');
    if (source === undefined || !canFeed(source.type, source.type === 'LIST' ? field.type : itemType))
      return false;
    this.#edges.push(createEdge(source.id, source.port, nodeId, field.id));
    return true;
  }

  #addMedia(nodeId: string, field: FalField, type: string, url: string): boolean {
    const [nodeType, port] = findInputNode(type) ?? [];
    if (nodeType === undefined || port === undefined || url === '') return url === '';
    const key = `media ${type} ${url}`;
    const source =
      this.#inputNodes.get(key) ?? this.#addInput(key, nodeType, port, type as PortType, 'File', { url });
    this.#edges.push(createEdge(source.id, source.port, nodeId, field.id));
    return true;
  }

  #findInput({ path: [name] }: FalReference): FalInput | undefined {
    return this.#workflow.inputs.find(input => input.name === name);
  }

  /** Returns the output that a reference means. Inputs get the type that the first port which uses them needs. */
  #findSource(reference: FalReference, type: string, isListPort: boolean): Source | undefined {
    if (isInputReference(reference)) return this.#findInputSource(reference, type, isListPort);
    const id = this.#ids.get(reference.node) ?? '';
    const [first = '', index] = reference.path;
    const falType = this.#mapped.get(reference.node);
    if (falType === undefined) {
      const port = this.#keptOutputs.get(reference.node)?.get(first);
      return port === undefined ? undefined : { id, port: port.id, type: 'ANY' };
    }
    const output = falType.outputs.get(first) ?? falType.defaultOutput;
    const source = { id, port: output.id, type: output.type };
    return output.type === 'LIST' && index !== undefined && /^\d{1,3}$/.test(index)
      ? this.#getItem(source, Number(index))
      : source;
  }

  #findInputSource(reference: FalReference, type: string, isListPort: boolean): Source | undefined {
    const [name = ''] = reference.path;
    const known = this.#inputNodes.get(name);
    if (known !== undefined) return known;
    const input = this.#findInput(reference) ?? {
      name,
      label: name || 'Input',
      isList: false,
      isNumber: false,
    };
    const kind = input.isList && isListPort ? 'LIST' : input.isNumber ? 'NUMBER' : type;
    const [nodeType, port] = findInputNode(kind) ?? INPUT_NODES.TEXT;
    const portType = (nodeType === 'input:text' ? 'TEXT' : kind) as PortType;
    return this.#addInput(
      name,
      nodeType,
      port,
      portType,
      input.label,
      toInputConfig(portType, input.default),
      name,
    );
  }

  #addInput(
    key: string,
    nodeType: string,
    port: string,
    type: PortType,
    label: string,
    config: JsonObject,
    name?: string,
  ): Source {
    const source = { id: `input-${this.#inputNodes.size + 1}`, port, type };
    this.#inputNodes.set(key, source);
    const node = createNode(source.id, nodeType, label, 'input', config);
    const data = node.data as JsonObject;
    this.#nodes.push(isInputName(name) ? { ...node, data: { ...data, name } } : node);
    return source;
  }

  /** Returns the item of a list. */
  #getItem({ id, port }: Source, index: number): Source {
    const key = `${id} ${index}`;
    const known = this.#items.get(key);
    if (known !== undefined) return known;
    const item: Source = { id: `item-${this.#items.size + 1}`, port: 'item', type: 'ANY' };
    this.#items.set(key, item);
    this.#nodes.push(createNode(item.id, 'utility:list_item', `Item ${index + 1}`, 'utility', { index }));
    this.#edges.push(createEdge(id, port, item.id, 'list'));
    return item;
  }

  #addDisplay(node: FalNode): void {
    const nodeId = this.#ids.get(node.id) ?? '';
    let count = 0;
    for (const [name, value] of Object.entries(node.values)) {
      const reference = readReference(value, this.#nodeIds);
      const source = reference === undefined ? undefined : this.#findSource(reference, 'TEXT', false);
      if (source === undefined) continue;
      count++;
      const id = count === 1 ? nodeId : `${nodeId}-${count}`;
      this.#nodes.push(createNode(id, 'output:preview', toWords(name), 'output', {}));
      this.#edges.push(createEdge(source.id, source.port, id, 'input'));
    }
    this.#lines.push(
      count === 0
        ? { source: node.id, sourceType: 'display', outcome: 'dropped', message: 'The node shows nothing.' }
        : toLine(node, 'mapped', nodeId),
    );
  }

  /** Adds an output to the kept node that a value refers to. */
  #noteKeptOutput(value: Json): void {
    const reference = readReference(value, this.#nodeIds);
    if (reference === undefined || isInputReference(reference) || this.#mapped.has(reference.node)) return;
    const [first = ''] = reference.path;
    const ports = this.#keptOutputs.get(reference.node) ?? new Map<string, KeptPort>();
    this.#keptOutputs.set(reference.node, ports);
    if (!ports.has(first))
      ports.set(first, { id: first || 'out', label: toWords(first || 'output'), type: 'ANY' });
  }

  #addKept(node: FalNode): void {
    const nodeId = this.#ids.get(node.id) ?? '';
    const inputs: KeptPort[] = [];
    for (const [name, value] of Object.entries(node.values)) {
      let count = 0;
      for (const item of Array.isArray(value) ? (value as readonly Json[]) : [value]) {
        const reference = readReference(item, this.#nodeIds);
        const source =
          reference === undefined ? undefined : this.#findSource(reference, guessType(name), false);
        if (source === undefined) continue;
        count++;
        const id = count === 1 ? name : `${name}-${count}`;
        inputs.push({ id, label: toWords(name), type: 'ANY' });
        this.#edges.push(createEdge(source.id, source.port, nodeId, id));
      }
    }
    this.#nodes.push(
      createKeptNode(nodeId, toTitle(node, node.type), {
        sourceType: node.type,
        original: node.original,
        inputs,
        outputs: [...(this.#keptOutputs.get(node.id)?.values() ?? [])],
      }),
    );
    const message =
      node.kind === 'run'
        ? 'The model is not installed, or the node has values that no node here takes. An administrator can add models from fal’s list; then import the file again.'
        : 'The type of the node is not known here.';
    this.#lines.push(toLine(node, 'kept', nodeId, message));
  }

  #describeInputs(inputNodeId: string): ImportedNode {
    const [first] = [...this.#inputNodes].find(([key]) => !key.startsWith('media ')) ?? [];
    const source = first === undefined ? undefined : this.#inputNodes.get(first);
    const line = { source: inputNodeId, sourceType: 'input' };
    return source === undefined
      ? { ...line, outcome: 'dropped', message: 'No node uses the inputs.' }
      : { ...line, outcome: 'mapped', nodeId: source.id };
  }
}

/** Returns the type that a value of this name has in most models of fal. */
export function guessType(name: string): PortType {
  if (/image|mask/.test(name)) return 'IMAGE';
  if (/video/.test(name)) return 'VIDEO';
  return /audio/.test(name) ? 'AUDIO' : 'TEXT';
}

const isFieldList = (field: FalField | readonly FalField[]): field is readonly FalField[] =>
  Array.isArray(field);

const toLine = (
  { id, kind, type }: FalNode,
  outcome: 'mapped' | 'kept',
  nodeId: string,
  message?: string,
): ImportedNode => ({
  source: id,
  sourceType: kind === 'display' ? 'display' : type,
  outcome,
  nodeId,
  ...(message === undefined ? {} : { message }),
});

/** Returns whether a value changes nothing: nodes of ours make one image at a time. */
const isNeutral = (name: string, value: Json): boolean =>
  value === null || (name === 'num_images' && value === 1);

/** Sets a value in the config if it has the type of the field. */
function setConfig(field: FalField, value: Json, config: Record<string, Json>): boolean {
  if (value === '' && field.type !== 'TEXT') return true;
  const isFit =
    field.type === 'TEXT'
      ? typeof value === 'string' && (field.enum?.includes(value) ?? true)
      : field.type === 'NUMBER'
        ? typeof value === 'number'
        : field.type === 'BOOLEAN'
          ? typeof value === 'boolean'
          : field.type === 'JSON';
  if (isFit) config[field.id] = value;
  return isFit;
}

function toInputConfig(type: PortType, value: Json | undefined): JsonObject {
  if (value === undefined) return {};
  if (type === 'LIST') return Array.isArray(value) ? { items: value as readonly Json[] } : {};
  if (MEDIA.has(type)) return typeof value === 'string' && /^https?:\/\//.test(value) ? { url: value } : {};
  if (type === 'NUMBER') return typeof value === 'number' ? { value } : {};
  if (type === 'TEXT') return typeof value === 'string' ? { value } : {};
  return { value };
}

/** Returns the id of the node as words, unless fal's editor made it from the endpoint. */
function toTitle({ id, type }: FalNode, label: string): string {
  const simple = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  return simple(id).startsWith(simple(type)) || simple(id) === '' ? label : toWords(id);
}

function toWords(name: string): string {
  const words = name
    .replace(/^node[-_]/, '')
    .replaceAll(/[_-]+/g, ' ')
    .trim()
    .slice(0, 100);
  return words === '' ? 'Node' : words.charAt(0).toUpperCase() + words.slice(1);
}
