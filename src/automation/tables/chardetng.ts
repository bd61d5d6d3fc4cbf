// Loads chardetng, the detector of Firefox for the encodings of text, in WebAssembly.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

// The types of Node have no WebAssembly.
const { WebAssembly } = globalThis as unknown as {
  readonly WebAssembly: {
    instantiate(
      bytes: Uint8Array,
      imports: unknown,
    ): Promise<{ readonly instance: { readonly exports: unknown } }>;
  };
};

interface Detector {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly encodingdetector_new: () => number;
  readonly encodingdetector_feed: (detector: number, start: number, length: number, isLast: number) => number;
  readonly encodingdetector_guess: (
    result: number,
    detector: number,
    domain: number,
    domainLength: number,
    allowsUtf8: number,
  ) => void;
  readonly __wbg_encodingdetector_free: (detector: number) => void;
  readonly __wbindgen_malloc: (bytes: number) => number;
  readonly __wbindgen_free: (start: number, length: number) => void;
  readonly __wbindgen_add_to_stack_pointer: (bytes: number) => number;
}

let loading: Promise<Detector> | undefined;

/** Returns the encoding that the bytes probably have, by its name in the Encoding Standard of WHATWG. Never UTF-8. */
export async function guessCharset(bytes: Uint8Array): Promise<string> {
  loading ??= load().catch((err: unknown) => {
    // The next file tries again, because the process may only have lacked memory or file handles.
    loading = undefined;
    throw err;
  });
  const wasm = await loading;
  const detector = wasm.encodingdetector_new();
  const start = wasm.__wbindgen_malloc(bytes.length);
  new Uint8Array(wasm.memory.buffer).set(bytes, start);
  // Frees the bytes.
  wasm.encodingdetector_feed(detector, start, bytes.length, 1);
  const result = wasm.__wbindgen_add_to_stack_pointer(-16);
  try {
    wasm.encodingdetector_guess(result, detector, 0, 0, 0);
    const [nameStart = 0, length = 0] = new Uint32Array(wasm.memory.buffer, result, 2);
    const name = new TextDecoder().decode(new Uint8Array(wasm.memory.buffer, nameStart, length));
    wasm.__wbindgen_free(nameStart, length);
    return new TextDecoder(name).encoding;
  } finally {
    wasm.__wbindgen_add_to_stack_pointer(16);
    wasm.__wbg_encodingdetector_free(detector);
  }
}

/** Compiles the module itself, because Node cannot load the imports of the package, which form a cycle. */
async function load(): Promise<Detector> {
  const path = fileURLToPath(import.meta.resolve('chardetng-wasm/dist/chardetng_wasm_bg.wasm'));
  const { instance } = await WebAssembly.instantiate(await readFile(path), {
    './chardetng_wasm_bg.js': {
      __wbindgen_throw: () => {
        throw new Error('The detector of encodings failed.');
      },
    },
  });
  return instance.exports as Detector;
}
