// Sanitizes the name of a client for display: anyone can register any name.

const MAX_CHARACTERS = 60;
/** Control and format characters, including those that change text direction, and line separators. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu;

/** One line without invisible characters; a client without a usable name is identified by its redirect address. */
export function showName(name: string | undefined, redirectHost: string): string {
  const line = [...(name ?? '').normalize('NFC').replace(UNSEEN, ' ').replace(/\s+/g, ' ').trim()];
  if (line.length === 0) return `A program at ${redirectHost}`;
  return line.length <= MAX_CHARACTERS ? line.join('') : `${line.slice(0, MAX_CHARACTERS - 1).join('')}…`;
}
