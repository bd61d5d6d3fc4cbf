// Defines the error and the limits with which the files of ComfyUI are read.
import { isObject, type UnknownObject } from '../types.ts';

/** The maximum number of nodes, with subgraphs expanded. */
export const MAX_COMFY_NODES = 2000;
/** The maximum number of nodes of all definitions of a file together, used or not. */
export const MAX_DEFINED_NODES = 10_000;
export const MAX_LINKS = 50_000;
/** The maximum number of inputs, and of outputs, of all nodes together. */
export const MAX_SLOTS = 50_000;
/** How deep subgraphs may contain each other. */
export const MAX_SUBGRAPH_DEPTH = 20;
/** The maximum length of ids and names. */
const MAX_NAME_LENGTH = 500;

/** A file that cannot be read. The message is a sentence for users. */
export class ComfyFormatError extends Error {
  override readonly name = 'ComfyFormatError';
  /** The JSON pointer of the value in the file. Empty for the file itself. */
  readonly pointer: string;
  constructor(problem: string, pointer = '') {
    super(pointer === '' ? `${problem}.` : `${problem}, at ${pointer}.`);
    this.pointer = pointer;
  }
}

const FORBIDDEN_NAMES: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** Returns the text if it is a name or id of an acceptable length. */
export function requireName(value: unknown, what: string, pointer: string): string {
  if (typeof value !== 'string') throw new ComfyFormatError(`${what} must be a text`, pointer);
  if (value.length > MAX_NAME_LENGTH)
    throw new ComfyFormatError(`${what} is longer than ${MAX_NAME_LENGTH} characters`, pointer);
  return value;
}

/** Returns the name if it can be the key of an object that others read. */
export function requireKey(value: unknown, what: string, pointer: string): string {
  const name = requireName(value, what, pointer);
  if (FORBIDDEN_NAMES.has(name)) throw new ComfyFormatError(`${what} must not be ${name}`, pointer);
  return name;
}

/** Returns the id of a node or link as text. ComfyUI writes numbers, its newer frontends also texts. */
export function requireId(value: unknown, what: string, pointer: string): string {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  if (typeof value !== 'string') throw new ComfyFormatError(`${what} must be a number or a text`, pointer);
  return requireKey(value, what, pointer);
}

export function requireObject(value: unknown, what: string, pointer: string): UnknownObject {
  if (!isObject(value)) throw new ComfyFormatError(`${what} must be an object`, pointer);
  return value;
}

/** Returns the list, or an empty one for null or an absent value. */
export function requireList(value: unknown, what: string, pointer: string): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new ComfyFormatError(`${what} must be a list`, pointer);
  return value;
}

/** Appends keys to a JSON pointer (RFC 6901). */
export function joinPointer(pointer: string, ...keys: readonly (string | number)[]): string {
  return keys.reduce<string>(
    (joined, key) => `${joined}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`,
    pointer,
  );
}
