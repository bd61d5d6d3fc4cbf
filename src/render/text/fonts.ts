// Finds the bundled font files that a text needs (the family's subsets, then Noto for missing characters) and registers
// them on first use.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { getOrCreate } from '../../lib/get-or-create.ts';
import { createLru } from '../../lib/lru.ts';
import { registerFont } from '../paint/canvas.ts';

/** A font family in the package `scope/name`. */
interface Face {
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

const INTER: Face = { scope: '@fontsource', name: 'inter', isVariable: false, hasItalic: true };
const FAMILIES: Readonly<Record<string, Face>> = {
  Inter: INTER,
  'Playfair Display': variable('playfair-display', true),
  Anton: { scope: '@fontsource', name: 'anton', isVariable: false, hasItalic: false, onlyWeight: 400 },
  'JetBrains Mono': variable('jetbrains-mono', true),
};
const FALLBACKS: readonly Face[] = [
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
/** Returns the fallback fonts, the named one first. Several have the same characters, whose shapes differ by country. */
const sortFallbacks = (name: string): readonly Face[] =>
  FALLBACKS.toSorted((a, b) => +(b.name === name) - +(a.name === name));
const JAPANESE_FIRST = sortFallbacks('noto-sans-jp');
const KOREAN_FIRST = sortFallbacks('noto-sans-kr');
const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}]/u;
const HANGUL = /\p{Script=Hangul}/u;
const EMOJI = /\p{Emoji_Presentation}|\p{Extended_Pictographic}\u{fe0f}|\u{20e3}|\p{Regional_Indicator}/u;
const EMOJI_PART = /[\p{Emoji}\p{Emoji_Component}]/u;
const INVISIBLE = /[\p{C}\p{Z}]|\p{Default_Ignorable_Code_Point}/u;
const EMOJI_FILE = '@fontsource/noto-color-emoji/files/noto-color-emoji-emoji-400-normal.woff2';

/** Returns the weight to request. The rasterizer would embolden a face that has only one weight. */
export function getAvailableWeight(family: string, weight: number): number {
  return FAMILIES[family]?.onlyWeight ?? weight;
}

type CodePointRange = readonly [from: number, to: number];
type Subset = readonly [name: string, ranges: readonly CodePointRange[]];
const subsetsByName = new Map<string, readonly Subset[]>();
const registeredFiles = new Set<string>();
// Bounded, because the texts of counters keep changing.
const choices = createLru<FontChoice>(5000);

interface FontChoice {
  /** The font-family list. */
  readonly stack: string;
  /** The characters that no font has. */
  readonly missing: readonly string[];
}

/**
 * Returns the font-family list for this text. Each subset is registered as its own family, because within a family a glyph
 * that is missing in the first file is not looked up in the others.
 */
export function getFontStack(text: string, family: string, weight: number, italic: boolean): string {
  return getFontChoice(text, family, weight, italic).stack;
}

/** Returns the characters of the text that would be drawn as boxes. */
export function listMissingCharacters(
  text: string,
  family: string,
  weight: number,
  italic: boolean,
): readonly string[] {
  return getFontChoice(text, family, weight, italic).missing;
}

function getFontChoice(text: string, family: string, weight: number, italic: boolean): FontChoice {
  const face = FAMILIES[family] ?? INTER;
  return getOrCreate(choices, `${family}|${weight}|${italic}|${text}`, () =>
    chooseFonts(text, face, weight, italic),
  );
}

function chooseFonts(text: string, face: Face, weight: number, italic: boolean): FontChoice {
  const missing: string[] = [];
  const families = new Set<string>([registerSubset(face, 'latin', weight, italic)]);
  const fallbacks = KANA.test(text) ? JAPANESE_FIRST : HANGUL.test(text) ? KOREAN_FIRST : FALLBACKS;
  for (const letter of new Set(text)) {
    const code = letter.codePointAt(0) ?? 0;
    if (code < 0x7f) continue;
    const found = findFace([face, ...fallbacks], code);
    if (found !== undefined) families.add(registerSubset(found.face, found.subset, weight, italic));
    else if (!INVISIBLE.test(letter) && !EMOJI_PART.test(letter)) missing.push(letter);
  }
  if (EMOJI.test(text)) families.add(registerOnce(EMOJI_FILE, 'Noto Color Emoji'));
  return { stack: [...families].map(name => `"${name}"`).join(', '), missing };
}

/** Returns the first face that has the character, with its subset. */
function findFace(
  faces: readonly Face[],
  code: number,
): { readonly face: Face; readonly subset: string } | undefined {
  for (const face of faces) {
    const subset = findSubset(face, code);
    if (subset !== undefined) return { face, subset };
  }
  return undefined;
}

function findSubset(face: Face, code: number): string | undefined {
  const subsets = getOrCreate(subsetsByName, face.name, () => readSubsets(face));
  return subsets.find(([, ranges]) => ranges.some(([from, to]) => code >= from && code <= to))?.[0];
}

function readSubsets({ scope, name }: Face): readonly Subset[] {
  const table: Record<string, string> = JSON.parse(
    readFileSync(resolveFile(`${scope}/${name}/unicode.json`), 'utf8'),
  );
  return Object.entries(table).map(
    ([subset, text]) => [subset.replace(/[[\]]/g, ''), text.split(',').map(parseRange)] as const,
  );
}

const resolveFile = (file: string): string => fileURLToPath(import.meta.resolve(file));

/** Parses a Unicode range: `U+600-6FF` or `U+200d`. */
function parseRange(text: string): CodePointRange {
  const [from = '', to = from] = text.trim().replace(/^U\+/i, '').split('-');
  return [Number.parseInt(from, 16), Number.parseInt(to, 16)];
}

function registerSubset(face: Face, subset: string, weight: number, italic: boolean): string {
  const family = `${face.name} ${subset}`;
  const style = italic && face.hasItalic ? 'italic' : 'normal';
  const weightPart = face.isVariable ? 'wght' : String(face.onlyWeight ?? weight);
  const file = `${face.scope}/${face.name}/files/${face.name}-${subset}-${weightPart}-${style}.woff2`;
  return registerOnce(file, family);
}

/** Registers the font on first use. Returns its family. */
function registerOnce(file: string, family: string): string {
  if (!registeredFiles.has(file)) {
    registeredFiles.add(file);
    registerFont(resolveFile(file), family);
  }
  return family;
}
