// `graphwright models add local:FOLDER`: checks a folder with an ONNX model, runs the model once, and copies the folder.
import { cp, mkdir, rename, rm } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { readSettings } from '../lib/settings.ts';
import { findFileProblem, type OwnModel, readOwnModel } from '../local/own-models.ts';
import { runLocal } from '../local/run-local.ts';
import { type CommandInput, UsageError } from './command.ts';

/** The side of the gray image with which a model is tried that takes any size. */
const TRIED_SIDE = 64;

export async function addLocalModel(
  folder: string,
  { options, terminal, signal }: CommandInput,
): Promise<void> {
  const settings = readSettings();
  const { LOCAL_MODELS_DIR } = settings;
  if (LOCAL_MODELS_DIR === undefined)
    throw new UsageError('Set LOCAL_MODELS_DIR to the folder in which the service looks for local models.');
  const source = resolve(folder);
  const model = readModel(source);
  const problem = await findFileProblem(model);
  if (problem !== undefined) throw new Error(problem);
  // The process may read only the folder of the model.
  const context = { settings: { ...settings, LOCAL_MODELS_DIR: source }, signal };
  await tryModel(model, context);
  if (options.dryRun !== true) await copyModel(model, LOCAL_MODELS_DIR);
  const nodeType = `edit:local_${model.name}`;
  if (options.json === true) return terminal.print(JSON.stringify({ nodeType, title: model.title }));
  terminal.print(
    options.dryRun === true
      ? `${nodeType} can be used: ${model.title}, ${model.license}.`
      : `${nodeType} was added to ${LOCAL_MODELS_DIR}. Restart the service to use it.`,
  );
}

function readModel(folder: string): OwnModel {
  try {
    return readOwnModel(folder);
  } catch (err) {
    throw new Error(`${folder} cannot be used: ${(err as Error).message}.`, { cause: err });
  }
}

async function tryModel(
  { folder, files, size, preparation, scale, task }: OwnModel,
  context: Parameters<typeof runLocal>[2],
): Promise<void> {
  const { width, height } = size ?? { width: TRIED_SIDE, height: TRIED_SIDE };
  const image = { width, height, bytes: new Uint8Array(3 * width * height).fill(128) };
  const model = join(folder, files[0]?.name ?? '');
  if (task === 'upscale')
    await runLocal(
      'upscale',
      { model, tile: image, modelFactor: scale, factor: scale, ...preparation },
      context,
    );
  else await runLocal('model', { model, image, ...preparation }, context);
}

/** Replaces an earlier version as a whole. */
async function copyModel({ folder, files, name }: OwnModel, directory: string): Promise<void> {
  const target = join(directory, name);
  if (resolve(target) === folder) return;
  const part = join(directory, `.${name}-${process.pid}`);
  await mkdir(part, { recursive: true });
  try {
    for (const file of ['model.json', ...files.map(entry => entry.name)])
      await cp(join(folder, file), join(part, basename(file)));
    await rm(target, { recursive: true, force: true });
    await rename(part, target);
  } finally {
    await rm(part, { recursive: true, force: true });
  }
}
