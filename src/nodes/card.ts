// Declares the text card node, which renders text and an optional image on a designed card.
import type { MediaRef } from '../graph/types.ts';
import { resizeImage } from '../media/images.ts';
import { CARD_THEMES, type Card, getImageFrame } from '../render/stills/still.ts';
import { drawImage } from '../render/stills/stills.ts';
import { choice, defineNode, image, type NodeContext, NodeError, number, text } from './define.ts';
import { readRaster, storeImage } from './image.ts';
import { requireColor } from './value-checks.ts';

const [MIN_SIDE, MAX_SIDE] = [64, 4096];

export const textToImageCard = defineNode({
  nodeType: 'utility:text_to_image_card',
  label: 'Text card',
  description: 'Renders a designed card from texts, which scale to fit, and an optional image.',
  category: 'utility',
  cache: true,
  version: 2,
  inputs: { text: text('Text'), title: text('Title'), image: image('Image') },
  config: {
    kicker: text('Kicker', { default: '', description: 'A short line above the title.' }),
    footer: text('Footer', { default: '' }),
    theme: choice('Theme', CARD_THEMES, {
      description: '“glass” is translucent, for use on top of an image.',
    }),
    align: choice('Align', ['left', 'center']),
    accent: text('Accent color', { default: '', description: 'Default: the color of the theme.' }),
    width: number('Width', { default: 1200, min: MIN_SIDE, max: MAX_SIDE, integer: true }),
    height: number('Height', { default: 630, min: MIN_SIDE, max: MAX_SIDE, integer: true }),
    radius: number('Corner radius', { default: 0, min: 0, max: MAX_SIDE / 2 }),
  },
  outputs: { image: image('Image') },
  run: async ({ text: content = '', title = '', image, ...config }, ctx) => {
    if (content.trim() === '' && title.trim() === '')
      throw new NodeError('missing_text', 'Set a text or a title for the card.');
    const card = {
      kicker: config.kicker,
      title: title.trim(),
      text: content.trim(),
      footer: config.footer,
      theme: config.theme,
      align: config.align,
      accent: config.accent === '' ? '' : requireColor(config.accent),
      width: config.width,
      height: config.height,
      radius: config.radius,
    };
    const withImage = image === undefined ? {} : { image: await fitImage(image, card, ctx) };
    const bytes = await drawImage({ kind: 'card', card: { ...card, ...withImage } }, ctx.signal);
    return { image: await storeImage({ bytes, contentType: 'image/png' }, 'card', ctx) };
  },
});

async function fitImage(
  image: MediaRef,
  card: Pick<Card, 'width' | 'height'>,
  ctx: NodeContext,
): Promise<Buffer> {
  const { width, height } = getImageFrame(card);
  const options = { width, height, fit: 'cover', background: '#00000000' } as const;
  return (await resizeImage(await readRaster(image, ctx), options, ctx.signal)).bytes;
}
