// Completes the options of a filter.
import type { Options } from './field.tsx';

/** Adds the selected value to the options if they lack it, because a link may name a value that the list does not have. */
export function withSelected(options: Options, selected = ''): Options {
  const entries = Array.isArray(options) ? options : Object.entries(options);
  return entries.some(([value]) => String(value) === selected) ? options : [...entries, [selected, selected]];
}
