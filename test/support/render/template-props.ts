// The shortest and the longest props that somebody would plausibly give a template.
import type { Template } from '../../../src/render/templates/template.ts';

type Props = Template['defaultProps'];

const WORDS = 'and a few more words than anybody would have thought of at the time'.split(' ');

/** Colours, files and choices are no words to be read. */
const isWords = (key: string, value: unknown): value is string =>
  typeof value === 'string' &&
  !/^(#|sample:|https?:)/.test(value) &&
  !/accent|ground|ink|colou?r|image|logo|audio|video/i.test(key);

/** Words half as many again, and three at least. What is short is so by its nature: a price, a badge. */
function lengthen(text: string): string {
  if (text.length < 5) return text;
  const count = Math.max(3, Math.ceil(text.split(' ').length * 0.5));
  return `${text} ${WORDS.slice(0, count).join(' ')}`;
}

function change(key: string, value: unknown, word: (text: string) => string): unknown {
  if (isWords(key, value)) return word(value);
  if (Array.isArray(value)) return value.map(item => change(key, item, word));
  // Words with times are the captions, which have pages for any number of them.
  if (typeof value !== 'object' || value === null || 'start' in value) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, change(name, inner, word)]));
}

export const longProps = ({ defaultProps }: Template): Props => change('', defaultProps, lengthen) as Props;

/** One letter a text, one item a list. */
export function shortProps({ defaultProps }: Template): Props {
  const short = change('', defaultProps, () => 'A') as Props;
  return Object.fromEntries(
    Object.entries(short).map(([key, value]) => [key, Array.isArray(value) ? value.slice(0, 1) : value]),
  );
}
