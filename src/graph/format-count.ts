// Writes a number of things.

/** Returns `1 cell` or `2 cells`. */
export const formatCount = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? '' : 's'}`;
