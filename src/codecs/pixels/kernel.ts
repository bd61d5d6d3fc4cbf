// Compiles WebAssembly kernels once per process and binds them to each caller's pixel memory. Their sources are the
// .wat files of kernels/, built by scripts/build-kernels.ts.
import { readFileSync } from 'node:fs';

// Declares what this file uses, because WebAssembly is only in the DOM types.
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

/** Returns the `convert` function of a kernel, bound to the given memory. */
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
