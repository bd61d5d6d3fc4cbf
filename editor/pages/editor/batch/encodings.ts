// Lists the encodings of tables that the dialog offers.

const ENCODINGS: readonly (readonly [name: string, label: string])[] = [
  ['', 'Detect'],
  ['utf-8', 'Unicode (UTF-8)'],
  ['utf-16le', 'Unicode (UTF-16)'],
  ['windows-1252', 'Western European (Windows)'],
  ['macintosh', 'Western European (Mac)'],
  ['windows-1250', 'Central European (Windows)'],
  ['windows-1251', 'Cyrillic (Windows)'],
  ['koi8-u', 'Cyrillic (KOI8)'],
  ['ibm866', 'Cyrillic (DOS)'],
  ['windows-1257', 'Baltic (Windows)'],
  ['windows-1253', 'Greek (Windows)'],
  ['windows-1254', 'Turkish (Windows)'],
  ['windows-1255', 'Hebrew (Windows)'],
  ['windows-1256', 'Arabic (Windows)'],
  ['windows-874', 'Thai (Windows)'],
  ['windows-1258', 'Vietnamese (Windows)'],
  ['shift_jis', 'Japanese (Shift JIS)'],
  ['euc-jp', 'Japanese (EUC)'],
  ['gb18030', 'Simplified Chinese (GB 18030)'],
  ['big5', 'Traditional Chinese (Big5)'],
  ['euc-kr', 'Korean (EUC)'],
];

/** Returns the encodings, and the current one even if it is rare. */
export const listEncodings = (
  current: string | undefined,
): readonly (readonly [name: string, label: string])[] =>
  current === undefined || ENCODINGS.some(([name]) => name === current)
    ? ENCODINGS
    : [...ENCODINGS, [current, current]];
