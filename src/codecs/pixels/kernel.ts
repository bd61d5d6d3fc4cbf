// WebAssembly kernels: compiled once a process, and bound to the memory that each caller's pixels are in. Their sources
// are the .wat files of kernels/; scripts/build-kernels.ts builds them.
import { readFileSync } from 'node:fs';

// As much of it as is used: the types of Node leave it to those of browsers.
declare const WebAssembly: {
  Memory: new (size: { readonly initial: number }) => Memory;
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object, imports: object) => { readonly exports: { readonly convert: unknown } };
};

export interface Memory {
  readonly buffer: ArrayBuffer;
}

const PAGE_BYTES = 65_536;
const modules = new Map<string, object>();

export function createMemory(bytes: number): Memory {
  return new WebAssembly.Memory({ initial: Math.ceil(bytes / PAGE_BYTES) });
}

/** The `convert` function of a kernel, working on that memory. */
export function bindKernel(
  name: 'rgba-to-i420' | 'i420-to-bmp',
  memory: Memory,
): (...numbers: number[]) => void {
  const module = modules.get(name) ?? compile(name);
  modules.set(name, module);
  return new WebAssembly.Instance(module, { env: { memory } }).exports.convert as (
    ...numbers: number[]
  ) => void;
}

function compile(name: string): object {
  return new WebAssembly.Module(readFileSync(new URL(`./kernels/${name}.wasm`, import.meta.url)));
}
