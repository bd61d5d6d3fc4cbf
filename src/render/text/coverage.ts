// Finds which bundled font has a character, without loading fonts, and names the characters that no font has.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { getOrCreate } from '../../lib/get-or-create.ts';

/** A font family in the package `scope/name`. */
export interface Face {
  readonly scope: string;
  readonly name: string;
  readonly isVariable: boolean;
  readonly hasItalic: boolean;
  readonly onlyWeight?: number;
}

const variable = (name: string, hasItalic = false): Face => ({
  scope: '@fontsource-variable',
  name,
  isVariable: true,
  hasItalic,
});

export const INTER: Face = { scope: '@fontsource', name: 'inter', isVariable: false, hasItalic: true };
export const FAMILIES: Readonly<Record<string, Face>> = {
  Inter: INTER,
  'Playfair Display': variable('playfair-display', true),
  Anton: { scope: '@fontsource', name: 'anton', isVariable: false, hasItalic: false, onlyWeight: 400 },
  'JetBrains Mono': variable('jetbrains-mono', true),
};
/** The fonts for characters that the family of a text lacks, in their order. */
export const FALLBACKS: readonly Face[] = [
  variable('noto-sans-arabic'),
  variable('noto-sans-hebrew'),
  variable('noto-sans-devanagari'),
  ...(
    'thai bengali tamil telugu gujarati gurmukhi kannada malayalam oriya sinhala khmer lao myanmar ethiopic georgian ' +
    'armenian'
  )
    .split(' ')
    .map(script => variable(`noto-sans-${script}`)),
  variable('noto-sans-sc'),
  variable('noto-sans-jp'),
  variable('noto-sans-kr'),
  INTER,
];
const ALL_FACES = [...Object.values(FAMILIES), ...FALLBACKS];

const EMOJI_PART = /[\p{Emoji}\p{Emoji_Component}]/u;
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Z}]|\p{Default_Ignorable_Code_Point}/u;

type CodePointRange = readonly [from: number, to: number];
type Subset = readonly [name: string, ranges: readonly CodePointRange[]];
const subsetsByName = new Map<string, readonly Subset[]>();

/** Returns the first face that has the character, with its subset. */
export function findFace(
  faces: readonly Face[],
  letter: string,
): { readonly face: Face; readonly subset: string } | undefined {
  const code = letter.codePointAt(0) ?? 0;
  for (const face of faces) {
    const subset = findSubset(face, code);
    if (subset !== undefined) return { face, subset };
  }
  return undefined;
}

/** Returns whether the character is drawn even if no face has it: it is invisible, or the emoji font draws it. */
export const needsNoFace = (letter: string): boolean => INVISIBLE.test(letter) || EMOJI_PART.test(letter);

/** Returns the characters of the text that no font has. */
export function listUndrawable(text: string): readonly string[] {
  return [...new Set(text)].filter(
    letter => letter > '\u007e' && !needsNoFace(letter) && findFace(ALL_FACES, letter) === undefined,
  );
}

const MAX_NAMED = 5;
/** The scripts in use for which there are no fonts. */
const SCRIPTS = (
  'Adlam Balinese Bopomofo Canadian_Aboriginal Cham Cherokee Coptic Cuneiform Egyptian_Hieroglyphs Gothic Javanese Lepcha ' +
  'Limbu Lisu Meetei_Mayek Mongolian Nko Ol_Chiki Runic Sundanese Syriac Tai_Le Tai_Tham Thaana Tibetan Tifinagh Vai Yi'
).split(' ');

/** Returns the end of a sentence about a text with characters that no font has. */
export function describeUndrawable(letters: Iterable<string>): string {
  const names = [...new Set([...letters].map(nameCharacter))].slice(0, MAX_NAMED);
  return `has characters for which there is no font, so they are drawn as boxes: ${names.join(', ')}`;
}

/** Returns the script of the character, or else the character and its code point. */
function nameCharacter(character: string): string {
  const script = SCRIPTS.find(name => new RegExp(`\\p{Script=${name}}`, 'u').test(character));
  const code = character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
  return script?.replaceAll('_', ' ') ?? `${character} (U+${code})`;
}

function findSubset(face: Face, code: number): string | undefined {
  const subsets = getOrCreate(subsetsByName, face.name, () => readSubsets(face));
  return subsets.find(([, ranges]) => ranges.some(([from, to]) => code >= from && code <= to))?.[0];
}

function readSubsets({ scope, name }: Face): readonly Subset[] {
  const table: Record<string, string> = JSON.parse(
    readFileSync(resolveFontFile(`${scope}/${name}/unicode.json`), 'utf8'),
  );
  return Object.entries(table).map(
    ([subset, text]) => [subset.replace(/[[\]]/g, ''), text.split(',').map(parseRange)] as const,
  );
}

/** Returns the path of a file of the font packages. */
export const resolveFontFile = (file: string): string => fileURLToPath(import.meta.resolve(file));

/** Parses a Unicode range: `U+600-6FF` or `U+200d`. */
function parseRange(text: string): CodePointRange {
  const [from = '', to = from] = text.trim().replace(/^U\+/i, '').split('-');
  return [Number.parseInt(from, 16), Number.parseInt(to, 16)];
}
