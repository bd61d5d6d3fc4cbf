// Matches a regular expression by RE2, in linear time: in place or in a thread.
import type { RE2JS } from 're2js';

export type RegexTask =
  | { readonly kind: 'test'; readonly pattern: string; readonly text: string }
  | {
      readonly kind: 'replace';
      readonly pattern: string;
      readonly text: string;
      /** `$1` stands for what the first group matched. */
      readonly replacement: string;
      readonly maxLength: number;
    };

/** Whether the text matches, or the text with every match replaced, or how long that could be where it is too long. */
export type RegexAnswer = boolean | string | { readonly length: number };

export function performRegexTask(regex: RE2JS, task: RegexTask): RegexAnswer {
  const { text } = task;
  if (task.kind === 'test') return regex.matcher(text).find();
  // $` and $' would repeat all of the text at every match; they stay as written.
  const template = task.replacement.replaceAll(/\$(?=[`'])/g, '$$$$');
  const references = template.split('$').length - 1;
  let matches = 0;
  for (const matcher = regex.matcher(text); matcher.find(); ) matches++;
  // Counted before it is built. Matches do not overlap, so one reference adds the text's own length at most.
  const length = matches * template.length + (references + 1) * text.length;
  return length > task.maxLength ? { length } : regex.matcher(text).replaceAll(template);
}
