// Converts pixels to the tensors of models, and back.
import type { Pixels, Preparation } from '../tasks.ts';
import { InvalidModelError, type TensorData } from './onnx.ts';

/** Returns RGB as NCHW floats from 0 to 1, minus `mean`, divided by `std`. */
export function toTensor({ width, height, bytes }: Pixels, { mean, std }: Preparation): TensorData {
  const size = width * height;
  const values = new Float32Array(3 * size);
  for (let channel = 0; channel < 3; channel++) {
    const scale = 1 / (255 * (std[channel] ?? 1));
    const offset = -(mean[channel] ?? 0) / (std[channel] ?? 1);
    for (let at = 0; at < size; at++)
      values[channel * size + at] = (bytes[3 * at + channel] ?? 0) * scale + offset;
  }
  return { values, dims: [1, 3, height, width] };
}

/** Converts a tensor of RGB from 0 to 1 of this size, and reduces it to a part of its size. */
export function toPixels(
  { values, dims }: TensorData,
  width: number,
  height: number,
  reduction: number,
): Pixels {
  const [, channels, rows, columns] = dims;
  if (dims.length !== 4 || channels !== 3 || columns !== width || rows !== height)
    throw new InvalidModelError(
      `The output of the model has the size ${dims.join(' × ')} instead of 1 × 3 × ${height} × ${width}.`,
    );
  const size = width * height;
  const [newWidth, newHeight] = [Math.floor(width / reduction), Math.floor(height / reduction)];
  const bytes = new Uint8ClampedArray(3 * newWidth * newHeight);
  const scale = 255 / (reduction * reduction);
  for (let channel = 0; channel < 3; channel++)
    for (let y = 0; y < newHeight; y++)
      for (let x = 0; x < newWidth; x++) {
        let sum = 0;
        for (let row = 0; row < reduction; row++)
          for (let column = 0; column < reduction; column++)
            sum += values[channel * size + (y * reduction + row) * width + x * reduction + column] ?? 0;
        bytes[3 * (y * newWidth + x) + channel] = sum * scale;
      }
  return { width: newWidth, height: newHeight, bytes: new Uint8Array(bytes.buffer) };
}

export interface Part {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Scales a part of an image, which may extend beyond it, to a size. Averages pixels where it reduces. */
export function scalePart({ width, height, bytes }: Pixels, part: Part, to: number): Pixels {
  const result = new Uint8ClampedArray(3 * to * to);
  const [stepX, stepY] = [part.width / to, part.height / to];
  const samples = Math.max(1, Math.min(8, Math.ceil(Math.max(stepX, stepY))));
  for (let y = 0; y < to; y++)
    for (let x = 0; x < to; x++) {
      let [red, green, blue] = [0, 0, 0];
      for (let row = 0; row < samples; row++)
        for (let column = 0; column < samples; column++) {
          const fromX = Math.floor(part.x + (x + (column + 0.5) / samples) * stepX);
          const fromY = Math.floor(part.y + (y + (row + 0.5) / samples) * stepY);
          if (fromX < 0 || fromY < 0 || fromX >= width || fromY >= height) continue;
          const at = 3 * (fromY * width + fromX);
          red += bytes[at] ?? 0;
          green += bytes[at + 1] ?? 0;
          blue += bytes[at + 2] ?? 0;
        }
      const count = samples * samples;
      result.set([red / count, green / count, blue / count], 3 * (y * to + x));
    }
  return { width: to, height: to, bytes: new Uint8Array(result.buffer) };
}
