// Generates the shortest and the longest plausible props of a template.
import type { Template } from '../../../src/render/templates/template.ts';

type Props = Template['defaultProps'];

const WORDS = 'and a few more words than anybody would have thought of at the time'.split(' ');

/** Colors, files and choices are not text to read. */
const isWords = (key: string, value: unknown): value is string =>
  typeof value === 'string' &&
  !/^(#|sample:|https?:)/.test(value) &&
  !/accent|ground|ink|colou?r|image|logo|audio|video/i.test(key);

/** Makes texts half as long again, by three words at least. Short texts such as prices and badges stay. */
function lengthen(text: string): string {
  if (text.length < 5) return text;
  const count = Math.max(3, Math.ceil(text.split(' ').length * 0.5));
  return `${text} ${WORDS.slice(0, count).join(' ')}`;
}

function change(key: string, value: unknown, word: (text: string) => string): unknown {
  if (isWords(key, value)) return word(value);
  if (Array.isArray(value)) return value.map(item => change(key, item, word));
  // Timed words are captions, which spread over as many pages as they need.
  if (typeof value !== 'object' || value === null || 'start' in value) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, change(name, inner, word)]));
}

const getFilledProps = ({ defaultProps, exampleProps }: Template): Props => ({
  ...defaultProps,
  ...exampleProps,
});

export const longProps = (template: Template): Props =>
  change('', getFilledProps(template), lengthen) as Props;

/** One letter per text, one item per list. */
export function shortProps(template: Template): Props {
  const short = change('', getFilledProps(template), () => 'A') as Props;
  return Object.fromEntries(
    Object.entries(short).map(([key, value]) => [key, Array.isArray(value) ? value.slice(0, 1) : value]),
  );
}
