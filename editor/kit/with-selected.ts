// Completes the options of a filter.
import type { Options } from './field.tsx';

/** Adds the selected value if it is missing, as after a link names one that is not in the list. */
export function withSelected(options: Options, selected = ''): Options {
  const entries = Array.isArray(options) ? options : Object.entries(options);
  return entries.some(([value]) => String(value) === selected) ? options : [...entries, [selected, selected]];
}
