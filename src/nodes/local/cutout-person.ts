// Declares the node that cuts people out of an image.
import { getConvertedModel } from '../../local/models.ts';
import type { Pixels } from '../../local/tasks.ts';
import { cutOut, readPixels } from '../../media/images.ts';
import { defineNode, image } from '../define.ts';
import { readRaster, storeImage } from '../image.ts';
import { createLocalNode, runLocalTask } from './local-node.ts';

/** The size of the model's input. */
const SMALL = { width: 256, height: 256 };
/** The mask of a larger image is scaled up. */
const MAX_GUIDE_SIDE = 1280;
/** The image, its mask and the result take 175 MB. */
const MAX_PIXELS = 25_000_000;
/** A smaller opaque share of the image is not a person. */
const MIN_SHARE = 0.001;

export const cutoutPerson = defineNode({
  ...createLocalNode(
    'cutout',
    'Apache-2.0',
    'https://ai.google.dev/edge/mediapipe/solutions/vision/image_segmenter',
    'cutout',
  ),
  nodeType: 'edit:cutout_person_local',
  label: 'Cut out person',
  description:
    'Makes everything but people transparent. Best for one person in front of the camera; groups and full figures get holes, and objects are cut away.',
  inputs: { image: image('Image', { required: true }) },
  config: {},
  outputs: { image: image('Image'), mask: image('Mask') },
  run: async ({ image: input }, ctx) => {
    const bytes = await readRaster(input, ctx);
    const options = { channels: 3, maxPixels: MAX_PIXELS } as const;
    const small = await readPixels(bytes, { ...options, size: SMALL }, ctx.signal);
    const guide = await readPixels(bytes, { ...options, maxSide: MAX_GUIDE_SIDE }, ctx.signal);
    const model = await getConvertedModel('person', ctx.settings.DATA_DIR);
    const mask = await runLocalTask('person', { model, small: toPixels(small), guide: toPixels(guide) }, ctx);
    if (getOpaqueShare(mask) < MIN_SHARE) ctx.task.warn('No person was found.');
    const result = await cutOut(bytes, mask, ctx.signal);
    return {
      image: await storeImage(result.image, 'cutout', ctx),
      mask: await storeImage(result.mask, 'mask', ctx),
    };
  },
});

const toPixels = ({ width, height, bytes }: Awaited<ReturnType<typeof readPixels>>) => ({
  width,
  height,
  bytes,
});

const getOpaqueShare = ({ bytes }: Pixels): number =>
  bytes.reduce((count, value) => count + Number(value > 127), 0) / bytes.length;
