// Tests that the detector of encodings is loaded again after it could not be loaded.
import assert from 'node:assert/strict';
import { it } from 'node:test';

// Its own instance of the module, because the process may have loaded the detector before.
const path: string = '../../../src/automation/tables/chardetng.ts?reload';
const { guessCharset } = (await import(path)) as typeof import('../../../src/automation/tables/chardetng.ts');

const { WebAssembly } = globalThis as unknown as {
  readonly WebAssembly: { readonly instantiate: () => Promise<unknown> };
};

it('the detector of encodings is loaded again after a failure', async t => {
  const error = new Error('out of memory');
  const bytes = Buffer.from('\xe9t\xe9 \xe0 N\xeemes', 'latin1');
  const failing = t.mock.method(WebAssembly, 'instantiate', () => Promise.reject(error));
  await assert.rejects(guessCharset(bytes), error);
  failing.mock.restore();
  assert.equal(await guessCharset(bytes), 'windows-1252');
});
