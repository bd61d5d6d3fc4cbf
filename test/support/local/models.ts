// Builds small models, and models that need too much memory or time.
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { OnnxGraph } from '../../../src/local/convert/onnx-graph.ts';

const IMAGE = [1, 3, 'height', 'width'] as const;

/** Enlarges an image twice, without changing it. */
export function buildUpscaler(): Buffer {
  const graph = new OnnxGraph();
  const scales = graph.weights(Float32Array.of(1, 1, 2, 2), [4]);
  const result = graph.add('Resize', [graph.input('input', IMAGE), '', scales], {
    mode: 'nearest',
    coordinate_transformation_mode: 'asymmetric',
    nearest_mode: 'floor',
  });
  graph.output('output', result, IMAGE);
  return graph.encode();
}

/** Returns the mean of the channels: a mask or a depth map. */
export function buildMean(): Buffer {
  const graph = new OnnxGraph();
  const mean = graph.add('ReduceMean', [graph.input('input', IMAGE)], { axes: [1], keepdims: 1 });
  graph.output('output', mean, [1, 1, 'height', 'width']);
  return graph.encode();
}

/** Returns the mean red, green and blue: the scores of three labels. */
export function buildClassifier(): Buffer {
  const graph = new OnnxGraph();
  const mean = graph.add('ReduceMean', [graph.input('input', IMAGE)], { axes: [2, 3], keepdims: 0 });
  graph.output('output', mean, [1, 3]);
  return graph.encode();
}

/** Allocates 10 GB. */
export function buildHog(): Buffer {
  const graph = new OnnxGraph();
  const shape = graph.integers([1, 3, 25_000, 33_334]);
  const zero = graph.add('ReduceMean', [graph.input('input', IMAGE)], { axes: [0, 1, 2, 3], keepdims: 1 });
  const huge = graph.add('Expand', [zero, shape]);
  graph.output('output', graph.add('ReduceMean', [huge], { axes: [2, 3], keepdims: 1 }), [1, 3, 1, 1]);
  return graph.encode();
}

/** Multiplies large matrices for several minutes. */
export function buildEndless(): Buffer {
  const graph = new OnnxGraph();
  const size = 3000;
  const shape = graph.integers([1, 1, size, size]);
  const mean = graph.add('ReduceMean', [graph.input('input', IMAGE)], { axes: [1, 2, 3], keepdims: 1 });
  let matrix = graph.add('Expand', [mean, shape]);
  for (let step = 0; step < 500; step++) matrix = graph.add('MatMul', [matrix, matrix]);
  graph.output('output', matrix, [1, 1, size, size]);
  return graph.encode();
}

export async function writeModel(path: string, bytes: Buffer): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, bytes);
  return path;
}
