// Declares the node that reads the text of an image.
import { findOcrData, listOcrLanguages } from '../../local/packages.ts';
import { readPixels } from '../../media/images.ts';
import { choice, defineNode, image, json, NodeError, text } from '../define.ts';
import { readRaster } from '../image.ts';
import { createLocalNode, MAX_LOCAL_PIXELS, runLocalTask } from './local-node.ts';

/** A page at 300 dpi has 3500 pixels. More do not help. */
const MAX_SIDE = 4000;
const LANGUAGES = ['eng', ...listOcrLanguages().filter(name => name !== 'eng')] as const;

export const ocr = defineNode({
  ...createLocalNode('ocr', 'Apache-2.0', 'https://github.com/naptha/tesseract.js', 'describe'),
  nodeType: 'text:ocr_local',
  label: 'Read text',
  description:
    'Reads printed text from a scan, screenshot or photo of a page. Signs in photos and handwriting are often wrong.',
  inputs: { image: image('Image', { required: true }) },
  config: {
    language: choice('Language', LANGUAGES, {
      description: 'Install a package such as @tesseract.js-data/deu for another language.',
    }),
  },
  outputs: { text: text('Text'), lines: json('Lines') },
  run: async ({ image: input, language }, ctx) => {
    const bytes = await readRaster(input, ctx);
    const options = { channels: 1, maxPixels: MAX_LOCAL_PIXELS, maxSide: MAX_SIDE } as const;
    const { info, width, height, bytes: pixels } = await readPixels(bytes, options, ctx.signal);
    const data = findOcrData(language);
    if (data === undefined)
      throw new NodeError(
        'language_not_installed',
        `The package @tesseract.js-data/${language} is not installed.`,
      );
    const result = await runLocalTask(
      'ocr',
      { data, language, image: { width, height, bytes: pixels } },
      ctx,
    );
    if (result.text.trim() === '') ctx.task.warn('No text was found.');
    const scale = info.width / width;
    const lines = result.lines.map(line => ({
      ...line,
      x: Math.round(line.x * scale),
      y: Math.round(line.y * scale),
      width: Math.round(line.width * scale),
      height: Math.round(line.height * scale),
    }));
    return { text: result.text, lines };
  },
});
