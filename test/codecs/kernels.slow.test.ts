// Tests that the WebAssembly kernels in the repository are builds of the sources next to them.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, it } from 'node:test';
import { buildKernel, KERNELS } from '../../scripts/build-kernels.ts';

const sources = globSync(join(KERNELS, '*.wat'));

describe('the WebAssembly kernels', () => {
  it('each have a source', () => {
    const builds = globSync(join(KERNELS, '*.wasm'));
    assert.deepEqual(
      builds.map(path => basename(path, '.wasm')).sort(),
      sources.map(path => basename(path, '.wat')).sort(),
    );
    assert.ok(sources.length >= 2);
  });

  for (const path of sources) {
    it(`equal the builds of their sources (${basename(path)})`, async () => {
      const kernel = await buildKernel(path);
      assert.deepEqual(readFileSync(path.replace(/\.wat$/, '.wasm')), Buffer.from(kernel));
    });
  }
});
