// Builds the WebAssembly kernels: compiles each .wat file of src/codecs/pixels/kernels to a .wasm file next to it.
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import wabt from 'wabt';

/** The folder of the kernels: sources and compiled modules. */
export const KERNELS = join(import.meta.dirname, '../src/codecs/pixels/kernels');

/** Compiles a file in the text format to a WebAssembly module. */
export async function buildKernel(path: string): Promise<Uint8Array> {
  const { parseWat } = await wabt();
  const module = parseWat(path, readFileSync(path, 'utf8'), { simd: true });
  try {
    module.validate();
    return module.toBinary({}).buffer;
  } finally {
    module.destroy();
  }
}

if (import.meta.main) {
  for (const path of globSync(join(KERNELS, '*.wat'))) {
    writeFileSync(path.replace(/\.wat$/, '.wasm'), await buildKernel(path));
  }
}
