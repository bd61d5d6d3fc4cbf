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

const FAMILIES: Readonly<Record<string, Face>> = {
  Inter: { scope: '@fontsource', name: 'inter', isVariable: false, hasItalic: true },
  'Playfair Display': variable('playfair-display', true),
  Anton: { scope: '@fontsource', name: 'anton', isVariable: false, hasItalic: false, onlyWeight: 400 },
  'JetBrains Mono': variable('jetbrains-mono', true),
};
const FALLBACKS: readonly Face[] = [
  variable('noto-sans-arabic'),
  variable('noto-sans-hebrew'),
  variable('noto-sans-devanagari'),
  variable('noto-sans-sc'),
  variable('noto-sans-jp'),
  variable('noto-sans-kr'),
];
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

type CodePointRange = readonly [from: number, to: number];
type Subset = readonly [name: string, ranges: readonly CodePointRange[]];
const subsetsByName = new Map<string, readonly Subset[]>();
const registeredFiles = new Set<string>();
// Bounded, because the texts of counters keep changing.
const fontStacks = createLru<string>(5000);

/**
 * Returns the font-family list for this text. Each subset is registered as its own family, because within a family a glyph
 * that is missing in the first file is not looked up in the others.
 */
export function getFontStack(text: string, family: string, weight: number, italic: boolean): string {
  const face = FAMILIES[family] ?? (FAMILIES.Inter as Face);
  return getOrCreate(fontStacks, `${family}|${weight}|${italic}|${text}`, () =>
    chooseFonts(text, face, weight, italic),
  );
}

function chooseFonts(text: string, face: Face, weight: number, italic: boolean): string {
  const families = new Set<string>([registerSubset(face, 'latin', weight, italic)]);
  const fallbacks = KANA.test(text) ? JAPANESE_FIRST : HANGUL.test(text) ? KOREAN_FIRST : FALLBACKS;
  for (const letter of new Set(text)) {
    const code = letter.codePointAt(0) ?? 0;
    if (code < 0x7f) continue;
    for (const candidate of [face, ...fallbacks]) {
      const subset = findSubset(candidate, code);
      if (subset === undefined) continue;
      families.add(registerSubset(candidate, subset, weight, italic));
      break;
    }
  }
  if (EMOJI.test(text)) families.add(registerOnce(EMOJI_FILE, 'Noto Color Emoji'));
  return [...families].map(name => `"${name}"`).join(', ');
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
