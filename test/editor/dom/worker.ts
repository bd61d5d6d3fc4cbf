// Runs web workers of a page in this thread, one message per turn of the event loop.
import { compileFunction } from 'node:vm';

const DATA_URL = /^data:text\/javascript,/;

interface WorkerScope {
  onmessage: ((event: { readonly data: unknown }) => void) | null;
  postMessage(message: unknown): void;
}

/** Creates the class `Worker` of a page, for scripts in data URLs. */
export function createWorkerClass(onError: (text: string) => void): unknown {
  return class {
    onmessage: ((event: { readonly data: unknown }) => void) | null = null;
    onerror: ((event: unknown) => void) | null = null;
    #isTerminated = false;
    readonly #scope: WorkerScope = {
      onmessage: null,
      postMessage: message => this.#later(() => this.onmessage?.({ data: structuredClone(message) })),
    };

    constructor(url: URL | string) {
      const script = decodeURIComponent(String(url).replace(DATA_URL, ''));
      compileFunction(script, ['self'])(this.#scope);
    }
    postMessage(message: unknown): void {
      const data = structuredClone(message);
      this.#later(() => this.#scope.onmessage?.({ data }));
    }
    terminate(): void {
      this.#isTerminated = true;
    }
    #later(deliver: () => void): void {
      setImmediate(() => {
        if (this.#isTerminated) return;
        try {
          deliver();
        } catch (err) {
          onError(String(err));
        }
      });
    }
  };
}
