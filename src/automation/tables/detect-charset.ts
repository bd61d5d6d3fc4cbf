// Detects the encoding of text that is not Unicode, or finds that it cannot be known.
import { guessCharset } from './chardetng.ts';

/** Encodings of the same script, and the letters beyond ASCII of the languages that are written in it. */
interface Script {
  /** With this many characters, chardetng tells the encodings of the script apart. */
  readonly minGuessed: number;
  readonly encodings: readonly string[];
  readonly alphabets: readonly ReadonlySet<string>[];
}

const toScript = (
  minGuessed: number,
  encodings: readonly string[],
  ...alphabets: readonly string[]
): Script => ({
  minGuessed,
  encodings,
  alphabets: alphabets.map(letters => new Set(letters)),
});

const SCRIPTS: readonly Script[] = [
  toScript(
    30,
    ['windows-1252', 'windows-1250', 'windows-1254', 'windows-1257', 'iso-8859-2', 'macintosh'],
    'àâæçéèêëîïôœùûüÿ', // French
    'äöüßé', // German
    'áéíóúüñªº', // Spanish
    'áâãàçéêíóôõúüªº', // Portuguese
    'àèéìîòóù', // Italian
    'åäöéà', // Swedish, Finnish
    'åæøéòó', // Danish, Norwegian
    'àçèéíïóòúü', // Catalan
    'ëïéèöüó', // Dutch
    'áðéíóúýþæö', // Icelandic
    'ąćęłńóśźż', // Polish
    'áčďéěíňóřšťúůýž', // Czech
    'áäčďéíĺľňóôŕšťúýž', // Slovak
    'áéíóöőúüű', // Hungarian
    'ăâîşţ', // Romanian
    'čćđšž', // Croatian, Slovene
    'çğıi\u0307öşüâîû', // Turkish
    'ąčęėįšųūž', // Lithuanian
    'āčēģīķļņšūž', // Latvian
    'äõöüšž', // Estonian
  ),
  toScript(
    6,
    ['windows-1251', 'koi8-u', 'ibm866', 'iso-8859-5', 'x-mac-cyrillic'],
    'абвгдежзийклмнопрстуфхцчшщъыьэюяё', // Russian, Bulgarian
    'абвгґдеєжзиіїйклмнопрстуфхцчшщьюя', // Ukrainian
    'абвгдеёжзійклмнопрстуўфхцчшыьэюя', // Belarusian
    'абвгдђежзијклљмнњопрстћуфхцчџш', // Serbian
    'абвгдѓежзѕијклљмнњопрстќуфхцчџш', // Macedonian
  ),
  toScript(6, ['windows-1253', 'iso-8859-7'], 'αβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώϊϋΐΰ'),
  toScript(6, ['windows-1255', 'iso-8859-8'], 'אבגדהוזחטיךכלםמןנסעףפץצקרשת'),
  toScript(6, ['windows-1256', 'iso-8859-6'], 'ءآأؤإئابةتثجحخدذرزسشصضطظعغفقكلمنهوىيپچژگکی'),
  toScript(
    6,
    ['windows-874'],
    Array.from({ length: 0x5b }, (_, index) => String.fromCharCode(0x0e01 + index)).join(''),
  ),
];

/** Chinese, Japanese and Korean encodings. */
const IDEOGRAPHIC: ReadonlySet<string> = new Set(['gbk', 'gb18030', 'big5', 'shift_jis', 'euc-jp', 'euc-kr']);

/** The share of the characters beyond ASCII that must be where the language has them. */
const MIN_SHARE = 0.95;
/** This share is enough in texts with at least `minGuessed` characters, which often contain names of other languages. */
const MIN_LIKELY_SHARE = 0.75;
/** The lead over an encoding that reads the bytes as other text, as a share of these characters. */
const MIN_LEAD = 0.05;
/** Rarer encodings need this many characters. */
const MIN_RARE = 8;
const COMMON: ReadonlySet<string> = new Set(['windows-1252', 'windows-1250', 'windows-1251']);

/**
 * Returns the encoding of the bytes, or undefined if they might as well have another one. A wrong encoding would be worse
 * than none, because rows become prompts of paid models. So chardetng only chooses the script; the encoding is the only one
 * of that script with which nearly all letters belong to the alphabet of one language.
 */
export async function detectCharset(bytes: Uint8Array): Promise<string | undefined> {
  const guess = await guessCharset(bytes);
  if (guess === 'iso-2022-jp') return guess;
  if (IDEOGRAPHIC.has(guess))
    return isIdeographicText(decodeStrictly(bytes, guess)) ? toSuperset(guess) : undefined;
  const script = SCRIPTS.find(({ encodings }) => encodings.includes(guess)) ?? (SCRIPTS[0] as Script);
  const readings = script.encodings
    .flatMap(encoding => {
      const text = decodeStrictly(bytes, encoding);
      return text === undefined ? [] : [{ encoding, text, share: getFittingShare(text, script) }];
    })
    .sort((a, b) => b.share - a.share);
  const [best] = readings;
  if (best === undefined) return undefined;
  const characters = listForeign(best.text).length;
  const isGuess = readings.some(({ encoding, text }) => encoding === guess && text === best.text);
  const isLikely = isGuess && characters >= script.minGuessed;
  const rival = readings.find(({ text }) => text !== best.text);
  const lead = rival === undefined ? 1 : best.share - rival.share;
  if (best.share < (isLikely ? MIN_LIKELY_SHARE : MIN_SHARE) || (lead < MIN_LEAD && !isLikely))
    return undefined;
  // Readings that are the same text have the same share and stay in their order.
  return COMMON.has(best.encoding) || characters >= MIN_RARE ? best.encoding : undefined;
}

const toSuperset = (encoding: string): string => (encoding === 'gbk' ? 'gb18030' : encoding);

function decodeStrictly(bytes: Uint8Array, encoding: string): string | undefined {
  try {
    // The bytes may end inside a character.
    return new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: true });
  } catch {
    return undefined;
  }
}

const FOREIGN = /[^\0-\x7f]/gu;
const listForeign = (text: string): readonly string[] => text.match(FOREIGN) ?? [];

/** In wrongly decoded words of Latin languages, an ideograph follows a letter. */
const MIXED_WORD = /\p{Script=Latin}[^\0-\x7f]\p{Ll}|\p{Ll}[^\0-\x7f]\p{Script=Latin}/gu;
const UNUSED = /[\x80-\x9f\ue000-\uf8ff]/u;

function isIdeographicText(text: string | undefined): boolean {
  if (text === undefined || UNUSED.test(text)) return false;
  const { length } = listForeign(text);
  return length > 1 && (text.match(MIXED_WORD)?.length ?? 0) <= length / 10;
}

const LETTER = /\p{L}/u;
const UPPER = /\p{Lu}/u;
const LOWER = /\p{Ll}/u;
const OPENING: ReadonlySet<string> = new Set('¿¡„‚');
const PUNCTUATION: ReadonlySet<string> = new Set('\u00a0«»‹›“”‘’–—…•·€£®©™№§');
/** Symbols that do not stand next to a letter. */
const SYMBOLS: ReadonlySet<string> = new Set('°±×÷²³¹½¼¾');

/** Returns the share of the characters beyond ASCII that are letters of one language or usual punctuation, and in place. */
function getFittingShare(text: string, { alphabets }: Script): number {
  const letters = new Map<string, number>();
  let fitting = 0;
  let total = 0;
  for (const { 0: char, index } of text.matchAll(FOREIGN)) {
    total++;
    const before = text[index - 1] ?? '';
    const after = text[index + char.length] ?? '';
    if (UPPER.test(char) && LOWER.test(before)) continue;
    if (LETTER.test(char) || /\p{M}/u.test(char)) {
      for (const letter of char.toLowerCase()) letters.set(letter, (letters.get(letter) ?? 0) + 1);
    } else if (OPENING.has(char)) fitting += LETTER.test(before) ? 0 : 1;
    else if (PUNCTUATION.has(char))
      fitting += LETTER.test(before) && LETTER.test(after) && char !== '’' && char !== '·' ? 0 : 1;
    else if (SYMBOLS.has(char)) fitting += LETTER.test(before) || LETTER.test(after) ? 0 : 1;
  }
  const counts = alphabets.map(alphabet => {
    let count = 0;
    for (const [letter, uses] of letters) if (alphabet.has(letter)) count += uses;
    return count;
  });
  return total === 0 ? 0 : (fitting + Math.max(...counts)) / total;
}
