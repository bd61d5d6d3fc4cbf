// Parses the values of command-line options.
import { type OptionValue, UsageError } from './command.ts';

/** Returns the text of an option, or undefined if the option is absent. */
export const getOptionText = (option: OptionValue): string | undefined =>
  typeof option === 'string' ? option : undefined;

export function parseNumberOption(name: string, option: OptionValue, min: number, max: number): number {
  const number = Number(option);
  if (Number.isFinite(number) && number >= min && number <= max) return number;
  throw new UsageError(`${name} must be from ${min} to ${max}.`);
}

/** Parses the number of a frame. */
export function parseFrameOption(name: string, option: OptionValue, frameCount: number): number {
  const frame = parseNumberOption(name, option, 0, frameCount - 1);
  if (!Number.isInteger(frame)) throw new UsageError(`${name} must be a whole number.`);
  return frame;
}

/** Parses a whole number, or returns undefined if the option is absent. */
export function parseIntegerOption(name: string, option: OptionValue): number | undefined {
  if (typeof option !== 'string') return undefined;
  if (!/^\d{1,15}$/.test(option)) throw new UsageError(`${name} must be a whole number.`);
  return Number(option);
}

/** Parses a repeatable option. `form` is the form of each value, such as `input=column`. */
export function parsePairOption(
  name: string,
  option: OptionValue,
  form: string,
): readonly (readonly [string, string])[] {
  const pairs = Array.isArray(option) ? (option as readonly string[]) : [];
  return pairs.map(pair => {
    const separator = pair.indexOf('=');
    if (separator <= 0) throw new UsageError(`${name} ${pair} must have the form ${form}.`);
    return [pair.slice(0, separator), pair.slice(separator + 1)];
  });
}
