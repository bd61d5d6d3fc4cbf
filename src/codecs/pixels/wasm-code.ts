// A small assembler of WebAssembly: one function over imported memory, written as nested lists of bytes, so that kernels
// need no build. The stack machine takes the code in the order in which it stands.

export type Code = readonly (number | Code)[];

// As much of it as is used: the types of Node leave it to those of browsers.
declare const WebAssembly: {
  Memory: new (size: { readonly initial: number }) => Memory;
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object, imports: object) => { readonly exports: { readonly f: unknown } };
};

export interface Memory {
  readonly buffer: ArrayBuffer;
}

const PAGE = 65_536;

export function createMemory(bytes: number): Memory {
  return new WebAssembly.Memory({ initial: Math.ceil(bytes / PAGE) });
}

export interface Kernel {
  /** Of numbers, locals 0 and up. */
  readonly parameters: number;
  /** Further locals: numbers, then vectors. */
  readonly numbers: number;
  readonly vectors: number;
  readonly body: Code;
}

/** Compiled once, to be bound to the memory that it works on. */
export function compile(kernel: Kernel): (memory: Memory) => (...numbers: number[]) => void {
  const module = new WebAssembly.Module(moduleBytes(kernel));
  return memory =>
    new WebAssembly.Instance(module, { m: { m: memory } }).exports.f as (...numbers: number[]) => void;
}

const [I32, V128] = [0x7f, 0x7b];

function moduleBytes({ parameters, numbers, vectors, body }: Kernel): Uint8Array<ArrayBuffer> {
  const sized = (code: Code): Code => [uint(flat(code).length), code];
  const section = (id: number, code: Code): Code => [id, sized(code)];
  const type = [0x60, parameters, Array.from({ length: parameters }, () => I32), 0];
  const memory = [1, 0x6d, 1, 0x6d, 0x02, 0x00, 0x00];
  const locals = [2, [numbers, I32], [vectors, V128]];
  const code = [
    [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    section(1, [1, type]),
    section(2, [1, memory]),
    section(3, [1, 0]),
    section(7, [1, 1, 0x66, 0x00, 0]),
    section(10, [1, sized([locals, body, 0x0b])]),
  ];
  return Uint8Array.from(flat(code));
}

function flat(code: Code): number[] {
  return code.flatMap(part => (typeof part === 'number' ? part : flat(part)));
}

/** Unsigned LEB128. */
export const uint = (value: number): Code =>
  value < 128 ? [value] : [(value & 127) | 128, uint(Math.floor(value / 128))];
/** Signed LEB128 of a value that one byte holds. */
export const small = (value: number): Code => [0x41, value & 127];
export const get = (local: number): Code => [0x20, local];
export const set = (local: number, value: Code): Code => [value, 0x21, local];
export const plus = (a: Code, b: Code): Code => [a, b, 0x6a];
export const half = (a: Code): Code => [a, small(1), 0x76];
export const times4 = (a: Code): Code => [a, small(2), 0x74];

export const simd = (op: number, ...args: readonly Code[]): Code => [args, 0xfd, uint(op)];
export const load = (address: Code, offset = 0): Code => [address, 0xfd, 0x00, 0x00, uint(offset)];
export const loadHalf = (address: Code): Code => [address, 0xfd, 0x5d, 0x00, 0x00];
export const store = (address: Code, value: Code, offset = 0): Code => [
  address,
  value,
  0xfd,
  0x0b,
  0x00,
  uint(offset),
];
export const storeHalf = (address: Code, value: Code): Code => [address, value, 0xfd, 0x5b, 0x00, 0x00, 0x00];
/** Sixteen bytes of both, by their places: those of `b` begin at 16. */
export const shuffle = (a: Code, b: Code, lanes: readonly number[]): Code => [a, b, 0xfd, 0x0d, lanes];
export const bytes16 = (bytes: Uint8Array): Code => [0xfd, 0x0c, [...bytes]];

/**
 * Does the step for x = 0, `by`, twice `by` and so on; the last one lies flush with the end, over a part of the one
 * before. `width` is at least `by`.
 */
export function alongRow(x: number, width: number, by: number, step: Code): Code {
  const last = [get(width), small(by), 0x6b];
  const next = plus(get(x), small(by));
  return [
    [0x03, 0x40],
    step,
    [get(x), last, 0x48, 0x04, 0x40],
    set(x, [next, last, next, last, 0x48, 0x1b]),
    [0x0c, 0x01, 0x0b],
    0x0b,
  ];
}
