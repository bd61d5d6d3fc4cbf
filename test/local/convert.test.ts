// Tests the conversion of models to ONNX: that it is reproducible, and what it refuses.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { SOURCES } from '../../src/local/convert/sources.ts';
import { convertTfjsGraph, convertTfjsLayers } from '../../src/local/convert/tfjs.ts';
import { convertTflite } from '../../src/local/convert/tflite.ts';
import { transpose } from '../../src/local/convert/weights.ts';
import { findPackage } from '../../src/local/packages.ts';

/** If a hash changes on purpose, increase CONVERTER_VERSION, so that stored models are converted again. */
const HASHES: Readonly<Record<keyof typeof SOURCES, string>> = {
  'esrgan-slim-2x': 'b18e9dcb5cc013ea',
  'esrgan-slim-4x': '8b7d1a9a405629f0',
  'esrgan-thick-4x': 'd390d0c8c3b9ef09',
  person: '03ebe1c85764b948',
  faces: '2930be10e61115bd',
};

describe('the conversion of models', () => {
  for (const [name, source] of Object.entries(SOURCES)) {
    const folder = findPackage(source.package);
    it(`of ${name} always gives the same bytes`, { skip: folder === undefined && 'not installed' }, () => {
      const hash = createHash('sha256')
        .update(source.convert(folder ?? ''))
        .digest('hex');
      assert.equal(hash.slice(0, 16), HASHES[name as keyof typeof SOURCES]);
    });
  }

  it('reorders weights', () => {
    const values = Float32Array.of(1, 2, 3, 4, 5, 6);
    const transposed = transpose(values, [2, 3], [1, 0]);
    assert.deepEqual([...transposed.values], [1, 4, 2, 5, 3, 6]);
    assert.deepEqual(transposed.shape, [3, 2]);
  });

  it('refuses operators that it does not know', () => {
    const graph = { node: [{ name: 'a', op: 'MatMul', input: [] }] };
    const model = { modelTopology: graph, weightsManifest: [] };
    assert.throws(() => convertTfjsGraph(model, Buffer.alloc(0), 256), /operator MatMul is not supported/);
    const layers = [{ class_name: 'Dense', name: 'a', config: {}, inbound_nodes: [] }];
    const network = { model_config: { config: { layers, output_layers: [] } } };
    assert.throws(
      () => convertTfjsLayers({ modelTopology: network, weightsManifest: [] }, Buffer.alloc(0), 1),
      /layer Dense is not supported/,
    );
  });

  it('refuses weights of other types', () => {
    const weightsManifest = [{ paths: [], weights: [{ name: 'a', shape: [1], dtype: 'float16' }] }];
    assert.throws(
      () => convertTfjsGraph({ modelTopology: { node: [] }, weightsManifest }, Buffer.alloc(4), 256),
      /float16 are not supported/,
    );
  });

  it('refuses a file that is no model', () => {
    assert.throws(() => convertTflite(Buffer.from([1, 0, 0, 0, 0, 0, 0, 0])), /no tensor/);
  });
});
