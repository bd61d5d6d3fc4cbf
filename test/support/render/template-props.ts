// Generates the shortest and the longest plausible props of a template.
import type { Template } from '../../../src/render/templates/template.ts';

type Props = Template['defaultProps'];

const WORDS = 'and a few more words than anybody would have thought of at the time'.split(' ');

/** Returns whether the prop is text to read, and not a color, file or choice. */
const isReadableText = (key: string, value: unknown): value is string =>
  typeof value === 'string' &&
  !/^(#|sample:|https?:)/.test(value) &&
  !/accent|ground|ink|colou?r|image|logo|audio|video/i.test(key);

/** Makes the text half as long again, and longer by at least three words. Very short texts, such as prices, stay. */
function lengthen(text: string): string {
  if (text.length < 5) return text;
  const count = Math.max(3, Math.ceil(text.split(' ').length * 0.5));
  return `${text} ${WORDS.slice(0, count).join(' ')}`;
}

function mapTexts(key: string, value: unknown, mapText: (text: string) => string): unknown {
  if (isReadableText(key, value)) return mapText(value);
  if (Array.isArray(value)) return value.map(item => mapTexts(key, item, mapText));
  // Texts with a start time are captions, which have no maximum length.
  if (typeof value !== 'object' || value === null || 'start' in value) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, mapTexts(name, inner, mapText)]),
  );
}

const getFilledProps = ({ defaultProps, exampleProps }: Template): Props => ({
  ...defaultProps,
  ...exampleProps,
});

/** Returns the template's example props with longer texts. */
export const longProps = (template: Template): Props =>
  mapTexts('', getFilledProps(template), lengthen) as Props;

/** Returns props with one letter per text and one item per list. */
export function shortProps(template: Template): Props {
  const short = mapTexts('', getFilledProps(template), () => 'A') as Props;
  return Object.fromEntries(
    Object.entries(short).map(([key, value]) => [key, Array.isArray(value) ? value.slice(0, 1) : value]),
  );
}
