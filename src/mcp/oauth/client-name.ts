// The name that a client gives itself, as it may be shown: anybody can register under any name.

const MAX_CHARACTERS = 60;
/** Control and format characters, among them those that turn the direction of text, and line separators. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu;

/** One line without what cannot be seen; what a client without a usable name is called, is said by where it is answered. */
export function showName(name: string | undefined, redirectHost: string): string {
  const line = [...(name ?? '').normalize('NFC').replace(UNSEEN, ' ').replace(/\s+/g, ' ').trim()];
  if (line.length === 0) return `A program at ${redirectHost}`;
  return line.length <= MAX_CHARACTERS ? line.join('') : `${line.slice(0, MAX_CHARACTERS - 1).join('')}…`;
}
