// Declares the node that hides faces in an image.
import { getConvertedModel } from '../../local/models.ts';
import type { Face } from '../../local/tasks.ts';
import { COVERS, coverAreas, readPixels } from '../../media/images.ts';
import { choice, defineNode, image, json } from '../define.ts';
import { readRaster, storeImage } from '../image.ts';
import { createLocalNode, MAX_LOCAL_PIXELS, runLocalTask } from './local-node.ts';

/** Faces are searched in an image of at most this size. */
const MAX_SIDE = 1280;
/** The model's boxes contain eyes, nose and mouth. The covered area also contains forehead, ears and chin. */
const ENLARGEMENT = 1.5;
/** Boxes have a little more forehead than chin. */
const SHIFT_UP = 0.08;

export const blurFaces = defineNode({
  ...createLocalNode('faces', 'Apache-2.0', 'https://github.com/vladmandic/human', 'edit'),
  nodeType: 'edit:blur_faces_local',
  label: 'Blur faces',
  description:
    'Hides faces so that they cannot be restored, and outputs their boxes. Finds faces from the front and half from the side; check pictures that you publish, because it can miss turned, covered or very small faces.',
  inputs: { image: image('Image', { required: true }) },
  config: { mode: choice('Mode', COVERS) },
  outputs: { image: image('Image'), faces: json('Faces') },
  run: async ({ image: input, mode }, ctx) => {
    const bytes = await readRaster(input, ctx);
    const options = { channels: 3, maxPixels: MAX_LOCAL_PIXELS, maxSide: MAX_SIDE } as const;
    const { info, width, height, bytes: pixels } = await readPixels(bytes, options, ctx.signal);
    const model = await getConvertedModel('faces', ctx.settings.DATA_DIR);
    const found = await runLocalTask('faces', { model, image: { width, height, bytes: pixels } }, ctx);
    const faces = found.flatMap(face => toArea(face, info.width / width, info));
    if (faces.length === 0) ctx.task.warn('No faces were found. Check the picture.');
    const covered = await coverAreas(bytes, { areas: faces, cover: mode }, ctx.signal);
    return { image: await storeImage(covered, 'faces-hidden', ctx), faces: faces.map(face => ({ ...face })) };
  },
});

/** Returns the area to cover in pixels of the image, or none if it is outside. */
function toArea(
  { x, y, width, height, score }: Face,
  scale: number,
  image: { readonly width: number; readonly height: number },
): readonly Face[] {
  const side = Math.max(width, height) * ENLARGEMENT;
  const left = Math.max(0, Math.round((x + width / 2 - side / 2) * scale));
  const top = Math.max(0, Math.round((y + height / 2 - side / 2 - side * SHIFT_UP) * scale));
  const right = Math.min(image.width, Math.round((x + width / 2 + side / 2) * scale));
  const bottom = Math.min(image.height, Math.round((y + height / 2 + side / 2 - side * SHIFT_UP) * scale));
  if (right <= left || bottom <= top) return [];
  const rounded = Math.round(score * 1000) / 1000;
  return [{ x: left, y: top, width: right - left, height: bottom - top, score: rounded }];
}
