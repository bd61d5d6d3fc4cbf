// Reorders weights from the layouts of TensorFlow, whose channels are last, to those of ONNX, whose channels are first.

/** Returns the transposed tensor: dimension `i` of the result is dimension `order[i]` of the input. */
export function transpose(
  values: Float32Array,
  shape: readonly number[],
  order: readonly number[],
): { readonly values: Float32Array; readonly shape: readonly number[] } {
  const strides = shape.map((_, index) =>
    shape.slice(index + 1).reduce((product, size) => product * size, 1),
  );
  const newShape = order.map(index => shape[index] ?? 1);
  const newStrides = order.map(index => strides[index] ?? 1);
  const result = new Float32Array(values.length);
  const position = new Array<number>(order.length).fill(0);
  let from = 0;
  for (let to = 0; to < result.length; to++) {
    result[to] = values[from] ?? 0;
    // Counts up the position of the result, from its last dimension.
    for (let index = order.length - 1; index >= 0; index--) {
      position[index] = (position[index] ?? 0) + 1;
      from += newStrides[index] ?? 0;
      if ((position[index] ?? 0) < (newShape[index] ?? 0)) break;
      from -= (newShape[index] ?? 0) * (newStrides[index] ?? 0);
      position[index] = 0;
    }
  }
  return { values: result, shape: newShape };
}
