// Declares text nodes: join, template, split, replace.
import { getTemplateTokens, MAX_CONFIG_PORTS } from '../graph/config-ports.ts';
import { splitText } from '../lib/find-text.ts';
import { choice, createPorts, defineNode, list, text } from './define.ts';
import { replaceRegex } from './regex/regex.ts';
import { formatValue, replaceTokens } from './tokens.ts';
import { requireShortLength, requireShortList, requireShortText } from './value-checks.ts';

export const promptConcat = defineNode({
  nodeType: 'utility:prompt_concat',
  forecastMode: 'by-value',
  label: 'Join prompts',
  description: 'Joins up to four texts. Skips empty texts.',
  category: 'utility',
  inputs: { text1: text('Text 1'), text2: text('Text 2'), text3: text('Text 3'), text4: text('Text 4') },
  config: { separator: text('Separator', { default: ', ' }) },
  outputs: { text: text('Text') },
  run: ({ text1, text2, text3, text4, separator }) => {
    let joined = '';
    for (const part of [text1, text2, text3, text4]) {
      if (part === undefined || part === '') continue;
      // Concatenated, because V8 then copies long texts only if the result is read.
      joined = joined === '' ? part : joined + separator + part;
    }
    return { text: requireShortText(joined) };
  },
});

export const textTemplate = defineNode({
  nodeType: 'utility:text_template',
  forecastMode: 'by-value',
  label: 'Text template',
  description: 'Replaces each {{token}} in a template with an input. Tokens without an input become empty.',
  category: 'utility',
  inputs: {},
  config: { template: text('Template', { default: '' }) },
  outputs: { text: text('Text') },
  dynamicPorts: {
    note: `One text input for each {{token}} of config.template, ${MAX_CONFIG_PORTS} at most.`,
    resolve: config => ({
      inputs: createPorts(getTemplateTokens(config.template), text),
      outputs: { text: text('Text') },
    }),
  },
  run: values => {
    const tokens = new Set(getTemplateTokens(values.template));
    let length = values.template.length;
    const fill = (name: string, token: string): string => {
      if (!tokens.has(name)) return token;
      const replacement = formatValue(values[name]);
      // Counted while building, because one long value may replace many tokens.
      length += replacement.length - token.length;
      requireShortLength(length - values.template.length);
      return replacement;
    };
    return { text: requireShortText(replaceTokens(values.template, fill)) };
  },
});

export const textSplit = defineNode({
  nodeType: 'utility:text_split',
  forecastMode: 'by-value',
  label: 'Split text',
  description:
    'Splits a text into a list. Trims the parts and skips empty ones. Without a separator, splits by character.',
  category: 'utility',
  inputs: { text: text('Text', { required: true }) },
  config: {
    separator: text('Separator', {
      default: '\\n',
      description: 'Write \\n for a line break and \\t for a tab.',
    }),
  },
  outputs: { list: list('List') },
  run: ({ text: input, separator }) => {
    const parts = separator === '' ? Array.from(input) : splitText(input, readSeparator(separator));
    const nonEmpty = parts.map(part => part.trim()).filter(part => part !== '');
    return { list: requireShortList(nonEmpty.map(part => ({ type: 'TEXT', text: part }))) };
  },
});

const readSeparator = (separator: string): string =>
  separator.replaceAll('\\n', '\n').replaceAll('\\t', '\t');

export const textReplace = defineNode({
  nodeType: 'utility:text_replace',
  forecastMode: 'by-value',
  label: 'Replace text',
  description: 'Replaces all matches of a text or a regular expression (RE2 syntax).',
  category: 'utility',
  inputs: { text: text('Text', { required: true }) },
  config: {
    find: text('Find', { default: '', isPrimary: true }),
    replace: text('Replace with', {
      default: '',
      isPrimary: true,
      description: 'In regex mode, $1 inserts the first group.',
    }),
    mode: choice('Mode', ['text', 'regex']),
  },
  outputs: { text: text('Text') },
  run: async ({ text: input, find, replace, mode }, ctx) => {
    if (find === '') return { text: input };
    if (mode === 'regex') {
      const replaced = await replaceRegex({ text: input, pattern: find, replacement: replace }, ctx);
      return { text: requireShortText(replaced) };
    }
    const parts = splitText(input, find);
    // Checked before building, because many short matches could each be replaced with a long text.
    requireShortLength(input.length + (parts.length - 1) * (replace.length - find.length));
    return { text: parts.join(replace) };
  },
});
