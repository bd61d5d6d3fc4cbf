// Matches a regular expression with RE2, in linear time. Runs directly or in a thread.
import type { RE2JS } from 're2js';

export type RegexTask =
  | { readonly kind: 'test'; readonly pattern: string; readonly text: string }
  | {
      readonly kind: 'replace';
      readonly pattern: string;
      readonly text: string;
      /** `$1` inserts the first group's match. */
      readonly replacement: string;
      readonly maxLength: number;
    };

/**
 * Returns whether the text matches, the text with every match replaced, or, if that would be too long, an upper bound
 * of its length.
 */
export type RegexResult = boolean | string | { readonly length: number };

export function performRegexTask(regex: RE2JS, task: RegexTask): RegexResult {
  const { text } = task;
  if (task.kind === 'test') return regex.matcher(text).find();
  // $` and $' would repeat the whole text at every match, so they are not supported and stay as written.
  const template = task.replacement.replaceAll(/\$(?=[`'])/g, '$$$$');
  const references = template.split('$').length - 1;
  let matches = 0;
  for (const matcher = regex.matcher(text); matcher.find(); ) matches++;
  // Computed before the text is built. Matches do not overlap, so one reference adds at most the length of the text.
  const length = matches * template.length + (references + 1) * text.length;
  return length > task.maxLength ? { length } : regex.matcher(text).replaceAll(template);
}
