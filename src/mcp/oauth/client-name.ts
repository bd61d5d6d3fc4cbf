// Sanitizes the name of a client for display: anyone can register any name.

const MAX_CHARACTERS = 60;
/** Control and format characters, including those that change text direction, and line separators. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu;

/** Returns one line without invisible characters. A client without a usable name is identified by its redirect host. */
export function sanitizeName(name: string | undefined, redirectHost: string): string {
  const line = [...(name ?? '').normalize('NFC').replace(INVISIBLE, ' ').replace(/\s+/g, ' ').trim()];
  if (line.length === 0) return `A program at ${redirectHost}`;
  return line.length <= MAX_CHARACTERS ? line.join('') : `${line.slice(0, MAX_CHARACTERS - 1).join('')}…`;
}
