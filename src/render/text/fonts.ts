// Finds the bundled font files that a text needs (the family's subsets, then Noto for missing characters) and registers
// them on first use.
import { getOrCreate } from '../../lib/get-or-create.ts';
import { createLru } from '../../lib/lru.ts';
import { registerFont } from '../paint/canvas.ts';
import { FALLBACKS, FAMILIES, type Face, findFace, INTER, needsNoFace, resolveFontFile } from './coverage.ts';

/** Returns the fallback fonts, the named one first. Several have the same characters, whose shapes differ by country. */
const sortFallbacks = (name: string): readonly Face[] =>
  FALLBACKS.toSorted((a, b) => +(b.name === name) - +(a.name === name));
const JAPANESE_FIRST = sortFallbacks('noto-sans-jp');
const KOREAN_FIRST = sortFallbacks('noto-sans-kr');
const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}]/u;
const HANGUL = /\p{Script=Hangul}/u;
const EMOJI = /\p{Emoji_Presentation}|\p{Extended_Pictographic}\u{fe0f}|\u{20e3}|\p{Regional_Indicator}/u;
const EMOJI_FILE = '@fontsource/noto-color-emoji/files/noto-color-emoji-emoji-400-normal.woff2';

/** Returns the weight to request. The rasterizer would embolden a face that has only one weight. */
export function getAvailableWeight(family: string, weight: number): number {
  return FAMILIES[family]?.onlyWeight ?? weight;
}

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
    if (letter < '\u007f') continue;
    const found = findFace([face, ...fallbacks], letter);
    if (found !== undefined) families.add(registerSubset(found.face, found.subset, weight, italic));
    else if (!needsNoFace(letter)) missing.push(letter);
  }
  if (EMOJI.test(text)) families.add(registerOnce(EMOJI_FILE, 'Noto Color Emoji'));
  return { stack: [...families].map(name => `"${name}"`).join(', '), missing };
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
    registerFont(resolveFontFile(file), family);
  }
  return family;
}
