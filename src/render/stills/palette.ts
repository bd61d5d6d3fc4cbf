// Provides the colors and random numbers of generated images. The same prompt gives the same image.
import { sha256 } from '../../lib/crypto.ts';
import { createSeededRandom } from '../../lib/seeded-random.ts';

export interface Palette {
  /** The background: nearly black. */
  readonly background: string;
  /** Four colors that work together on the background, from deep to bright. */
  readonly colors: readonly [string, string, string, string];
  /** Words of a prompt that select this palette. */
  readonly keywords: RegExp;
}

const PALETTES: readonly Palette[] = [
  {
    background: '#0b1026',
    colors: ['#3a2a8c', '#7c3aed', '#ec4899', '#fde68a'],
    keywords: /\b(night|star|space|galax|neon|cyber|dream|magic|purple|violet)/i,
  },
  {
    background: '#1c0f13',
    colors: ['#9f1239', '#ea580c', '#f59e0b', '#fef3c7'],
    keywords: /\b(sunset|sunrise|fire|desert|autumn|warm|orange|red|fox|lion)/i,
  },
  {
    background: '#041c2c',
    colors: ['#075985', '#0891b2', '#5eead4', '#f0fdfa'],
    keywords: /\b(sea|ocean|water|lake|river|rain|whale|fish|blue|boat|harbou?r|beach|coast)/i,
  },
  {
    background: '#0c1f17',
    colors: ['#14532d', '#15803d', '#a3e635', '#fefce8'],
    keywords: /\b(forest|tree|garden|green|leaf|jungle|meadow|grass|spring|frog)/i,
  },
  {
    background: '#101827',
    colors: ['#334155', '#64748b', '#bae6fd', '#f8fafc'],
    keywords: /\b(snow|winter|ice|mountain|fog|mist|moon|silver|gr[ae]y|cloud)/i,
  },
  {
    background: '#2a1022',
    colors: ['#831843', '#db2777', '#fda4af', '#fff1f2'],
    keywords: /\b(flower|rose|love|pink|blossom|cherry|heart|wedding|candy)/i,
  },
  {
    background: '#17150f',
    colors: ['#1d4ed8', '#dc2626', '#facc15', '#fafaf9'],
    keywords: /\b(city|poster|bauhaus|toy|robot|car|train|street|pop)/i,
  },
  {
    background: '#12110f',
    colors: ['#57534e', '#b45309', '#d6b88a', '#faf5ec'],
    keywords: /\b(coffee|wood|bread|old|vintage|book|sand|dog|cat|portrait)/i,
  },
  {
    background: '#071b1f',
    colors: ['#115e59', '#0d9488', '#fb7185', '#ffedd5'],
    keywords: /\b(summer|tropic|palm|parrot|bird|fruit|melon|holiday)/i,
  },
];

/** Returns a deterministic sequence of numbers from 0 up to 1, seeded by the text. */
export function createRandomFromText(text: string): () => number {
  return createSeededRandom(sha256(text).readUInt32LE(0));
}

/** Returns the palette whose keywords match the prompt, otherwise one chosen by a hash of the prompt. */
export function choosePalette(prompt: string): Palette {
  const matching = PALETTES.find(palette => palette.keywords.test(prompt.slice(0, 2000)));
  const fallback = PALETTES[Math.floor(createRandomFromText(`palette ${prompt}`)() * PALETTES.length)];
  return matching ?? fallback ?? (PALETTES[0] as Palette);
}

/** Returns the color with another opacity, 0 to 1. */
export function withAlpha(hex: string, alpha: number): string {
  return `${hex.slice(0, 7)}${Math.round(alpha * 255)
    .toString(16)
    .padStart(2, '0')}`;
}
