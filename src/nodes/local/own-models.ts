// Declares a node for each model of the operator in LOCAL_MODELS_DIR.
import { join } from 'node:path';
import type { ModelTask } from '../../graph/catalog.ts';
import type { MediaRef } from '../../graph/types.ts';
import { findFileProblem, type OwnModel, type OwnTask, readOwnModels } from '../../local/own-models.ts';
import type { Pixels } from '../../local/tasks.ts';
import { cutOut, encodeGray, encodePixels, readAlpha, readPixels } from '../../media/images.ts';
import {
  defineNode,
  image,
  json,
  type NodeContext,
  type NodeDefinition,
  NodeError,
  type NodeResult,
  text,
} from '../define.ts';
import { readRaster, storeImage } from '../image.ts';
import { createLocalNode, runLocalTask } from './local-node.ts';
import { requireResultSize, upscaleTiles } from './upscale.ts';

/** The pixels of a model's input, if it takes images of any size. */
const MAX_INPUT_PIXELS = 4_000_000;
const MAX_PIXELS = 25_000_000;
const MAX_GUIDE_SIDE = 1280;
const MAX_LABELS = 20;

/** Returns the nodes of the models in the folder. Folders that are wrong have none. */
export const createOwnNodes = (directory: string | undefined): readonly NodeDefinition[] =>
  readOwnModels(directory).models.map(createOwnNode);

function createOwnNode(model: OwnModel): NodeDefinition {
  const { task, description, outputs, run } = TASKS[model.task];
  return defineNode({
    ...createLocalNode('model', model.license, model.origin, task),
    nodeType: `edit:local_${model.name}`,
    label: model.title,
    description,
    version: model.version,
    inputs: { image: image('Image', { required: true }) },
    config: {},
    outputs,
    run: async ({ image: input }, ctx) => {
      const problem = await findFileProblem(model);
      if (problem !== undefined) throw new NodeError('local_model_invalid', problem);
      return run(model, input, ctx);
    },
  });
}

interface TaskDefinition {
  readonly task: ModelTask;
  readonly description: string;
  readonly outputs: Parameters<typeof defineNode>[0]['outputs'];
  readonly run: (model: OwnModel, input: MediaRef, ctx: NodeContext) => Promise<NodeResult>;
}

const TASKS: Readonly<Record<OwnTask, TaskDefinition>> = {
  upscale: {
    task: 'upscale',
    description: 'Enlarges an image with a model of the operator.',
    outputs: { image: image('Image') },
    run: async (model, input, ctx) => {
      const bytes = await readRaster(input, ctx);
      const size = model.size === undefined ? {} : { size: model.size };
      const { info, ...pixels } = await readPixels(
        bytes,
        { channels: 3, maxPixels: MAX_PIXELS, ...size },
        ctx.signal,
      );
      requireResultSize(pixels, model.scale);
      const alpha = info.hasAlpha ? await readAlpha(bytes, ctx.signal) : undefined;
      const factors = { modelFactor: model.scale, factor: model.scale };
      const options = {
        model: getPath(model),
        ...factors,
        ...model.preparation,
        isWhole: model.size !== undefined,
      };
      const enlarged = await upscaleTiles(pixels, options, ctx);
      return {
        image: await storeImage(await encodePixels(enlarged, { info, alpha }, ctx.signal), model.name, ctx),
      };
    },
  },
  mask: {
    task: 'cutout',
    description: 'Makes the background of an image transparent with a model of the operator.',
    outputs: { image: image('Image'), mask: image('Mask') },
    run: async (model, input, ctx) => {
      const bytes = await readRaster(input, ctx);
      const map = await runOnImage(model, bytes, ctx);
      const {
        width,
        height,
        bytes: pixels,
      } = await readPixels(
        bytes,
        { channels: 3, maxPixels: MAX_PIXELS, maxSide: MAX_GUIDE_SIDE },
        ctx.signal,
      );
      const mask = toGray(map, 0, 1);
      const refined = await runLocalTask('refine', { mask, guide: { width, height, bytes: pixels } }, ctx);
      const result = await cutOut(bytes, refined, ctx.signal);
      return {
        image: await storeImage(result.image, model.name, ctx),
        mask: await storeImage(result.mask, `${model.name}-mask`, ctx),
      };
    },
  },
  depth: {
    task: 'edit',
    description:
      'Draws how near each part of an image is with a model of the operator: white is the highest value.',
    outputs: { image: image('Depth') },
    run: async (model, input, ctx) => {
      const map = await runOnImage(model, await readRaster(input, ctx), ctx);
      let [lowest, highest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
      for (const value of map.values) {
        lowest = Math.min(lowest, value);
        highest = Math.max(highest, value);
      }
      const gray = toGray(map, lowest, highest);
      return { image: await storeImage(await encodeGray(gray, map.original, ctx.signal), model.name, ctx) };
    },
  },
  classify: {
    task: 'describe',
    description: 'Sorts an image into one of the classes of a model of the operator.',
    outputs: { label: text('Label'), labels: json('Labels') },
    run: async (model, input, ctx) => {
      const { values } = await runModel(model, await readRaster(input, ctx), ctx);
      if (values.length !== model.labels.length)
        throw new NodeError(
          'local_model_invalid',
          `The model has ${values.length} classes, but model.json has ${model.labels.length} labels.`,
        );
      const scores = toProbabilities([...values]);
      const labels = model.labels
        .map((label, index) => ({ label, score: Math.round((scores[index] ?? 0) * 10_000) / 10_000 }))
        .sort((a, b) => b.score - a.score)
        .slice(0, MAX_LABELS);
      return { label: labels[0]?.label ?? '', labels };
    },
  },
};

const getPath = ({ folder, files }: OwnModel): string => join(folder, files[0]?.name ?? '');

async function runModel(model: OwnModel, bytes: Buffer, ctx: NodeContext) {
  const size = model.size === undefined ? {} : { size: model.size };
  const maxPixels = model.size === undefined ? MAX_INPUT_PIXELS : MAX_PIXELS;
  const {
    width,
    height,
    bytes: pixels,
    info,
  } = await readPixels(bytes, { channels: 3, maxPixels, ...size }, ctx.signal);
  const task = { model: getPath(model), image: { width, height, bytes: pixels }, ...model.preparation };
  return { ...(await runLocalTask('model', task, ctx)), original: info };
}

interface ValueMap {
  readonly values: Float32Array;
  readonly width: number;
  readonly height: number;
  /** The size of the image. */
  readonly original: { readonly width: number; readonly height: number };
}

/** Runs a model with one value for each pixel. */
async function runOnImage(model: OwnModel, bytes: Buffer, ctx: NodeContext): Promise<ValueMap> {
  const { values, dims, original } = await runModel(model, bytes, ctx);
  const [height = 0, width = 0] = dims.slice(-2);
  if (dims.length < 3 || width * height !== values.length || values.length === 0)
    throw new NodeError(
      'local_model_invalid',
      `The output of the model has the size ${dims.join(' × ')} instead of one value for each pixel.`,
    );
  return { values, width, height, original };
}

function toGray({ values, width, height }: ValueMap, lowest: number, highest: number): Pixels {
  const scale = highest > lowest ? 255 / (highest - lowest) : 0;
  return {
    width,
    height,
    bytes: new Uint8Array(Uint8ClampedArray.from(values, value => (value - lowest) * scale)),
  };
}

/** Returns the values if they are probabilities, otherwise their softmax. */
function toProbabilities(values: readonly number[]): readonly number[] {
  const sum = values.reduce((total, value) => total + value, 0);
  if (values.every(value => value >= 0) && Math.abs(sum - 1) < 0.01) return values;
  const highest = values.reduce((max, value) => Math.max(max, value), Number.NEGATIVE_INFINITY);
  const powers = values.map(value => Math.exp(value - highest));
  const total = powers.reduce((all, power) => all + power, 0);
  return powers.map(power => power / total);
}
