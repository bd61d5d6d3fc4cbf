// Cuts test files into groups. Each group runs in a process.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Durations } from './durations.ts';

/** Seconds of files that were never recorded. */
const DEFAULT_SECONDS = { fast: 0.3, slow: 5 } as const;
/**
 * Each group of slow tests takes this part of the rest: few long groups, because loading the program takes two seconds of
 * processor time in each, and short ones at the end, where a long one would run alone.
 */
const PART = 1 / 4;
const MIN_SECONDS = 30;
/** A browser starts, compiles and caches the application in each group. */
const BROWSER_GROUPS = 3;
const FAST_GROUPS = 2;

const BROWSER_IMPORT = /^import (?!type )[^;]*from '[^']*\/(?:signed-in-browser|browser|flow-page)\.ts';/m;

export const isNightly = (file: string): boolean => /\.nightly\.test\.tsx?$/.test(file);
export const isFast = (file: string): boolean => !/\.(?:slow|alone|nightly)\.test\.tsx?$/.test(file);

/** Returns the recorded duration of a file, or else the usual one of its kind. */
export const getSeconds = (durations: Durations, file: string): number =>
  durations[file] ?? (isFast(file) ? DEFAULT_SECONDS.fast : DEFAULT_SECONDS.slow);

/** Groups the files, whose paths are relative to the root. The longest group is first. */
export function groupFiles(
  root: string,
  files: readonly string[],
  durations: Durations,
): readonly (readonly string[])[] {
  const secondsOf = (file: string): number => getSeconds(durations, file);
  const sum = (group: readonly string[]): number => group.reduce((total, file) => total + secondsOf(file), 0);
  /** Files of a folder are neighbors, so most stay together. */
  const cutEqually = (some: readonly string[] = [], count: number): readonly (readonly string[])[] => {
    const groupSeconds = sum(some) / count;
    let startSeconds = 0;
    const groups = Map.groupBy([...some].sort(), file => {
      const middle = startSeconds + secondsOf(file) / 2;
      startSeconds += secondsOf(file);
      return Math.floor(middle / groupSeconds);
    });
    return [...groups.values()];
  };
  /** Cuts groups that become shorter. */
  const cutByPart = (some: readonly string[]): readonly (readonly string[])[] => {
    const groups: (readonly string[])[] = [];
    let rest = [...some].sort();
    while (rest.length > 0) {
      const limit = Math.max(MIN_SECONDS, sum(rest) * PART);
      let seconds = 0;
      const end = rest.findIndex(file => {
        seconds += secondsOf(file);
        return seconds >= limit;
      });
      const count = end < 0 ? rest.length : end + 1;
      groups.push(rest.slice(0, count));
      rest = rest.slice(count);
    }
    return groups;
  };
  const { alone = [], browser, fast, slow = [] } = Object.groupBy(files, file => kindOf(root, file));
  return [
    ...alone.map(file => [file]),
    ...cutEqually(browser, BROWSER_GROUPS),
    ...cutEqually(fast, FAST_GROUPS),
    ...cutByPart(slow),
  ].sort((a, b) => sum(b) - sum(a));
}

function kindOf(root: string, file: string): 'alone' | 'browser' | 'fast' | 'slow' {
  if (/\.alone\./.test(file)) return 'alone';
  if (isFast(file)) return 'fast';
  return BROWSER_IMPORT.test(readFileSync(join(root, file), 'utf8')) ? 'browser' : 'slow';
}
