// Declares the node that detects the language of a text.
import { defineNode, number, text } from '../define.ts';
import { createLocalNode, runLocalTask } from './local-node.ts';

/** More text does not change the result. */
const MAX_LENGTH = 10_000;

export const language = defineNode({
  ...createLocalNode('language', 'Apache-2.0', 'https://github.com/nitotm/efficient-language-detector-js'),
  nodeType: 'utility:language',
  label: 'Detect language',
  description:
    'Detects in which of 60 languages a text is written, as an ISO 639-1 code such as “en”, and outputs the confidence from 0 to 1. Short texts of a few words are often wrong.',
  inputs: { text: text('Text', { required: true }) },
  config: {},
  outputs: { language: text('Language'), confidence: number('Confidence') },
  run: async ({ text: input }, ctx) => {
    const result = await runLocalTask('language', { text: input.slice(0, MAX_LENGTH) }, ctx);
    return { language: result.language, confidence: result.confidence };
  },
});
