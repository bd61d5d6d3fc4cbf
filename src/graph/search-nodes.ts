// Scores how well node types match the words of a search, for the palette and for agents. Words match by their beginning,
// their stem and their synonyms. A table adds the words that people use for what a node can do.
import type { CatalogEntry } from './catalog.ts';

type SearchableEntry = Pick<CatalogEntry, 'nodeType' | 'label' | 'description'> & {
  readonly category: string;
};

/** Other words for a word. Plurals are found by their stem. */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  picture: ['image'],
  photo: ['image'],
  pic: ['image'],
  img: ['image'],
  clip: ['video'],
  film: ['video'],
  movie: ['video'],
  sound: ['audio'],
  speech: ['voice', 'tts'],
  voice: ['speech', 'tts'],
  subtitle: ['caption'],
  caption: ['subtitle'],
  combine: ['join', 'merge', 'mix', 'collect'],
  merge: ['join', 'combine'],
  concat: ['join'],
  concatenate: ['join'],
  cut: ['trim', 'crop', 'split'],
  enlarge: ['upscale'],
  enhance: ['upscale'],
  erase: ['remove'],
  delete: ['remove'],
  cutout: ['remove'],
  api: ['http'],
  webhook: ['http'],
  fetch: ['http'],
  script: ['code'],
  javascript: ['code'],
  typescript: ['code'],
  python: ['code'],
  condition: ['if'],
  branch: ['if', 'switch'],
  wait: ['delay'],
  comment: ['note'],
  prompt: ['text'],
};

/** What node types are used for, by a pattern of the type. */
const USES: readonly (readonly [type: RegExp, uses: string])[] = [
  [/^generate:/, 'image generate model text to image'],
  [/^edit:/, 'image edit'],
  [/^edit:(?!.*(?:upscal|birefnet|background|eraser|aura_sr|tryon))/, 'image to image variation'],
  [/^video:/, 'video generate'],
  [/^video:.*_(?!.*(?:_to_video|upscal|background|birefnet|extend|edit|motion))/, 'text to video'],
  [/^talking:/, 'video avatar talking head lip sync speak'],
  [/^audio:/, 'audio'],
  [/^audio:.*(?:music|lyria|ace_step)/, 'song'],
  [
    /^(?:audio:.*(?:tts|speech|kokoro|chatterbox)|utility:speech)/,
    'voice over narration read aloud text to speech',
  ],
  [
    /^text:(?:openai_|.*openrouter|.*llama)/,
    'llm language model chat gpt translate summarize rewrite write variation caption logo',
  ],
  [/^text:.*(?:whisper|wizper|speech_to_text)/, 'transcribe captions subtitles speech to text'],
  [/^text:.*(?:caption|moondream|vision|ocr|florence)/, 'describe image vision read text in image'],
  [/birefnet|background_remov/, 'remove background cutout transparent matting'],
  [/eraser/, 'remove object'],
  [/upscal|aura_sr|seedvr/, 'upscale enlarge sharpen resolution'],
  [/tryon/, 'try on clothes fashion'],
  [/^generate:.*(?:recraft|ideogram)/, 'logo'],
  [/^generate:(?:sandbox|.*(?:recraft|ideogram|seedream|flux|qwen|nano_banana|gpt_image))/, 'variation'],
  [/^edit:.*expand|reframe/, 'outpaint extend'],
  [/inpaint|fill/, 'inpaint replace'],
  [
    /^video:renderer$/,
    'slideshow captions subtitles titles animation montage template text logo combine images',
  ],
  [/^utility:image_composite$/, 'logo watermark overlay layer combine merge images'],
  [/^utility:image_grid$/, 'collage combine merge images contact sheet'],
  [/^utility:video_concat$/, 'combine merge concatenate append clips slideshow'],
  [/^utility:(?:audio_mix|audio_mux)$/, 'combine merge music'],
  [/^utility:(?:prompt_concat|text_template)$/, 'combine merge concatenate append'],
  [/^utility:text_to_image_card$/, 'title quote poster logo caption slide'],
  [/^input:list$/, 'loop for each repeat iterate batch variations'],
  [/^utility:text_split$/, 'loop for each list lines'],
  [/^logic:(?:collect|merge)$/, 'combine gather'],
  [/^logic:if$/, 'condition branch filter'],
  [/^logic:approval$/, 'human review confirm'],
  [/^utility:code$/, 'script javascript typescript program function loop'],
];

/** Words that say nothing about a node. */
const FILLERS: ReadonlySet<string> = new Set([
  ...['a', 'an', 'the', 'my', 'from', 'for', 'of', 'on', 'with', 'and', 'into', 'to', 'in', 'node'],
]);

const MAX_WORDS = 12;

/** Returns the lowercase words of a search that can describe a node. */
export function toSearchWords(query: string): readonly string[] {
  const words = splitWords(query).slice(0, MAX_WORDS);
  const meaningful = words.filter(word => !FILLERS.has(word));
  return meaningful.length > 0 ? meaningful : words;
}

const splitWords = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** Weights of the parts of an entry. A match in one of the first three says what the node is. */
const WEIGHTS = { name: 8, uses: 6, type: 5, about: 1 } as const;
export const STRONG_SCORE = WEIGHTS.type;

/** Returns a score for each word: 0 if the entry does not match it, and at least `STRONG_SCORE` if it is in its name. */
export function scoreWords(entry: SearchableEntry, words: readonly string[]): readonly number[] {
  const parts = getParts(entry);
  return words.map(word => {
    const own = scoreTerm(parts, word);
    const synonyms = SYNONYMS[word] ?? SYNONYMS[word.replace(/s$/, '')] ?? [];
    return Math.max(own, ...synonyms.map(synonym => scoreTerm(parts, synonym) * SYNONYM_FACTOR));
  });
}

/** A synonym counts less than the word itself, but a synonym in the name still is a strong match. */
const SYNONYM_FACTOR = 0.8;

type Parts = readonly (readonly [tokens: readonly string[], weight: number])[];
/** A cache, because splitting the texts takes longer than the search. */
const partsByEntry = new WeakMap<SearchableEntry, Parts>();

function getParts(entry: SearchableEntry): Parts {
  const known = partsByEntry.get(entry);
  if (known !== undefined) return known;
  const { nodeType, label, description, category } = entry;
  const uses = USES.filter(([type]) => type.test(nodeType)).map(([, words]) => words);
  const parts: Parts = [
    [splitWords(label), WEIGHTS.name],
    [splitWords(uses.join(' ')), WEIGHTS.uses],
    [splitWords(`${nodeType} ${category}`.replaceAll('_', ' ')), WEIGHTS.type],
    [splitWords(description ?? ''), WEIGHTS.about],
  ];
  partsByEntry.set(entry, parts);
  return parts;
}

function scoreTerm(parts: Parts, term: string): number {
  const stem = toStem(term);
  return Math.max(
    ...parts.map(
      ([tokens, weight]) => weight * tokens.reduce((max, token) => Math.max(max, fit(token, term, stem)), 0),
    ),
  );
}

/** Returns how well a word of an entry fits: completely, by its beginning, by its stem, or by any part. */
function fit(token: string, term: string, stem: string): number {
  if (token === term) return 2;
  if (token.startsWith(term)) return 1.75;
  if (token.startsWith(stem) && token.length <= stem.length + MAX_SUFFIX) return 1.5;
  // Numbers and short terms are parts of too many words.
  return term.length > 2 && token.includes(term) ? 1 : 0;
}

const SUFFIX = /(?:ations?|ings?|ers?|als?|ed|es|s|e)$/;
const MIN_STEM = 4;
const MAX_SUFFIX = 6;

function toStem(word: string): string {
  const stem = word.replace(SUFFIX, '');
  return stem.length >= MIN_STEM ? stem : word.replace(/s$/, '');
}
