// Enlarges a tile of an image with a model.
import type { LocalTasks, Pixels } from '../tasks.ts';
import { runFirst } from './onnx.ts';
import { toPixels, toTensor } from './pixels.ts';

export async function upscaleTile({
  model,
  tile,
  modelFactor,
  factor,
  ...preparation
}: LocalTasks['upscale']['input']): Promise<Pixels> {
  const output = await runFirst(model, toTensor(tile, preparation));
  return toPixels(output, tile.width * modelFactor, tile.height * modelFactor, modelFactor / factor);
}
