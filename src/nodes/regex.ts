// Regular expressions that come with a graph: matched by RE2, in linear time, and bounded.
import type { RE2JS } from 're2js';
import { NodeError } from './define.ts';
import { assertTextLength } from './limits.ts';

const MAX_PATTERN_LENGTH = 500;
// RE2's work is at most text length × program size; 20 million steps take well under a second here.
const MAX_STEPS = 20_000_000;

/** Whether the pattern matches somewhere in the text. NodeError `invalid_regex` or `regex_too_costly`. */
export async function testRegex(pattern: string, text: string): Promise<boolean> {
  return (await compileFor(text, pattern)).matcher(text).find();
}

/** The text with every match replaced; `$1` in the replacement stands for what the first group matched. */
export async function replaceRegex(text: string, pattern: string, replacement: string): Promise<string> {
  const regex = await compileFor(text, pattern);
  // $` and $' would repeat all of the text at every match; they stay as written.
  const template = replacement.replaceAll(/\$(?=[`'])/g, '$$$$');
  const references = template.split('$').length - 1;
  let matches = 0;
  for (const matcher = regex.matcher(text); matcher.find(); ) matches++;
  // Matches do not overlap, so one reference adds the text's own length at most.
  assertTextLength(matches * template.length + (references + 1) * text.length);
  return regex.matcher(text).replaceAll(template);
}

async function compileFor(text: string, pattern: string): Promise<RE2JS> {
  if (pattern.length > MAX_PATTERN_LENGTH) {
    const message = `The pattern has ${pattern.length} characters; at most ${MAX_PATTERN_LENGTH} are allowed.`;
    throw new NodeError('invalid_regex', message);
  }
  const regex = await compile(pattern);
  if (regex.programSize() * text.length > MAX_STEPS) {
    throw new NodeError(
      'regex_too_costly',
      'The pattern is too large for a text of this length; shorten one of them.',
    );
  }
  return regex;
}

async function compile(pattern: string): Promise<RE2JS> {
  const { RE2JS } = await import('re2js');
  try {
    return RE2JS.compile(pattern);
  } catch (err) {
    const message = `"${pattern}" is not a usable pattern (RE2 syntax: no look-around, no back-references).`;
    throw new NodeError('invalid_regex', message, { cause: err });
  }
}
