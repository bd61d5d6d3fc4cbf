// Runs a model of the operator on a whole image.
import type { LocalTasks } from '../tasks.ts';
import { runFirst } from './onnx.ts';
import { toTensor } from './pixels.ts';

export async function runOwnModel({
  model,
  image,
  ...preparation
}: LocalTasks['model']['input']): Promise<LocalTasks['model']['output']> {
  const { values, dims } = await runFirst(model, toTensor(image, preparation));
  return { values, dims };
}
