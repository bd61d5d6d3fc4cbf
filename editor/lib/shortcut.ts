// Recognizes shortcuts on keyboards of all layouts: by the typed character if it is Latin, otherwise by the position of the key.

/** The parts of a keyboard event that a shortcut depends on. */
export type KeyPress = Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'metaKey' | 'shiftKey'>;

/** The characters of keys on a US keyboard, by position. Letters and digits are in the name of the position. */
const SIGNS: Readonly<Record<string, string>> = { Period: '.', Slash: '/' };

/**
 * Returns the name of a key such as `Enter`, or its character in lower case. A character that is not ASCII is replaced by the
 * one at its position on a US keyboard, such as `z` for the Russian `я`.
 */
export function getKey({ key, code }: Pick<KeyPress, 'key' | 'code'>): string {
  if (key.length > 1) return key;
  if (key <= '\u007f') return key.toLowerCase();
  return (/^Key([A-Z])$/.exec(code)?.[1]?.toLowerCase() ?? SIGNS[code] ?? key).toLowerCase();
}

/** Returns the digit at the position of the key. Many layouts need Shift to type digits, or type other characters with it. */
export function getDigit({ key, code }: Pick<KeyPress, 'key' | 'code'>): number | undefined {
  const digit = /^(?:Digit|Numpad)(\d)$/.exec(code)?.[1] ?? /^\d$/.exec(key)?.[0];
  return digit === undefined ? undefined : Number(digit);
}

/** Returns whether the event is the shortcut, such as `Shift+Mod+Z`. `Mod` is Ctrl or Cmd. */
export function matchesShortcut(shortcut: string, event: KeyPress): boolean {
  const parts = shortcut.split('+');
  const key = parts.at(-1) ?? '';
  if (parts.includes('Mod') !== (event.ctrlKey || event.metaKey)) return false;
  // Signs such as ? or / need Shift on some keyboards only.
  if (/^[a-z\d]$/i.test(key) || key.length > 1) {
    if (parts.includes('Shift') !== event.shiftKey) return false;
  }
  if (/^\d$/.test(key)) return getDigit(event) === Number(key);
  return getKey(event).toLowerCase() === key.toLowerCase();
}
