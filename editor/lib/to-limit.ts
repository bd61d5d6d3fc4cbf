// Reads the text of a field for a limit.

/** Returns the limit; null, which means no limit, for an empty text. */
export const toLimit = (text: string): number | null => (text === '' ? null : Number(text));
