// Searches node types by words, for the palette and for agents. Words match by their beginning, their stem and their
// synonyms. A table adds the words that people use for what a node can do.
import type { CatalogEntry } from './catalog.ts';

type SearchableEntry = Pick<CatalogEntry, 'nodeType' | 'label' | 'description' | 'isAvailable'> & {
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
  voiceover: ['speech', 'tts'],
  song: ['music'],
  gpt: ['llm'],
  chatgpt: ['llm'],
  claude: ['llm'],
  foreach: ['loop'],
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
  [/^generate:(?!.*vector)/, 'txt2img t2i thumbnail'],
  [/^edit:/, 'image edit'],
  [
    /^edit:(?!.*(?:upscal|birefnet|background|eraser|aura_sr|tryon|vectorize))/,
    'image to image variation img2img i2i style transfer face swap sketch',
  ],
  [/^video:/, 'video generate'],
  [/^video:.*_(?!.*(?:_to_video|upscal|background|birefnet|extend|edit|motion))/, 'text to video'],
  [/^video:.*text_to_video/, 't2v txt2vid'],
  [/^video:.*image_to_video/, 'animate picture i2v img2vid'],
  [/^talking:/, 'video avatar talking head lip sync speak'],
  [/^audio:/, 'audio'],
  [/^audio:.*(?:music|lyria|ace_step)/, 'song'],
  [
    /^(?:audio:.*(?:tts|speech|kokoro|chatterbox)|utility:speech)/,
    'voice over narration read aloud text to speech dub',
  ],
  [
    /^text:(?:openai_|.*openrouter|.*llama)/,
    'llm language model chat gpt translate summarize rewrite write variation caption logo',
  ],
  [
    /^text:.*(?:whisper|wizper|speech_to_text)/,
    'transcribe transcription captions subtitles srt stt speech to text',
  ],
  [/^text:.*(?:caption|moondream|vision|ocr|florence)/, 'describe image vision read text in image'],
  [
    /birefnet|background_remov|cutout_person/,
    'remove background removal cutout transparent matting mask segment isolate subject',
  ],
  [/eraser/, 'remove object'],
  [/upscal|aura_sr|seedvr/, 'upscale enlarge sharpen resolution'],
  [/tryon/, 'try on clothes fashion'],
  [/^generate:.*(?:recraft|ideogram)/, 'logo'],
  [/vector/, 'svg illustration'],
  [/^input:(?:image|video|audio)$/, 'upload file import load'],
  [/^input:text$/, 'prompt'],
  [/^output:/, 'save download export result'],
  [/^utility:image_adjust$/, 'color brightness contrast saturation'],
  [/^utility:image_convert$/, 'format jpeg png webp compress'],
  [/^utility:video_frame$/, 'screenshot still thumbnail'],
  [/^edit:.*expand|reframe/, 'outpaint extend'],
  [/inpaint|fill/, 'inpaint replace'],
  [
    /^video:renderer$/,
    'slideshow captions subtitles titles animation montage template text logo combine images',
  ],
  [/vectorize/, 'logo'],
  [/^utility:image_composite$/, 'logo watermark overlay layer combine merge images'],
  [/^utility:image_grid$/, 'collage combine merge images contact sheet'],
  [/^utility:video_concat$/, 'combine merge concatenate append clips'],
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
  ...['a', 'an', 'the', 'my', 'from', 'for', 'of', 'on', 'with', 'and', 'into', 'to', 'in', 'node', 'add'],
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
const STRONG_SCORE = WEIGHTS.type;
/** A synonym counts less than the word itself, but a synonym in the name still is a strong match. */
const SYNONYM_FACTOR = 0.9;
/** Added if the name or a use contains all words in the order of the search, such as "speech to text". */
const PHRASE_SCORE = 8;

interface Match<Entry> {
  readonly entry: Entry;
  readonly index: number;
  readonly score: number;
  /** The number of words that the entry does not match. */
  readonly missing: number;
  /** The number of words that its name, uses or type match; the others are at most in the description. */
  readonly strong: number;
}

/**
 * Returns the entries that match all words, best first. If no name or use matches all words, adds the entries whose
 * names or uses match at least half of them. Those that cannot run come after the others that match as well. Without words,
 * returns all entries.
 */
export function searchNodes<Entry extends SearchableEntry>(
  entries: readonly Entry[],
  query: string,
): readonly Entry[] {
  const words = toSearchWords(query);
  if (words.length === 0) return entries;
  const phrase = splitWords(query).join(' ');
  const terms = words.map(word => [
    createTerm(word, 1),
    ...(SYNONYMS[word] ?? SYNONYMS[word.replace(/s$/, '')] ?? []).map(other =>
      createTerm(other, SYNONYM_FACTOR),
    ),
  ]);
  const matches = entries.flatMap((entry, index) => {
    const match = matchEntry(entry, index, terms, words.length > 1 ? phrase : undefined);
    return match.missing < words.length ? [match] : [];
  });
  const isExact = matches.some(({ strong }) => strong === words.length);
  return matches
    .filter(({ missing, strong }) => missing === 0 || (!isExact && strong * 2 >= words.length))
    .sort(compareMatches)
    .map(({ entry }) => entry);
}

function compareMatches(a: Match<SearchableEntry>, b: Match<SearchableEntry>): number {
  return (
    b.strong - a.strong ||
    a.missing - b.missing ||
    Number(a.entry.isAvailable === false) - Number(b.entry.isAvailable === false) ||
    b.score - a.score ||
    a.index - b.index
  );
}

function matchEntry<Entry extends SearchableEntry>(
  entry: Entry,
  index: number,
  terms: readonly (readonly Term[])[],
  phrase: string | undefined,
): Match<Entry> {
  const { parts, phrases } = getText(entry);
  const scores = terms.map(alternatives => Math.max(...alternatives.map(term => scoreTerm(parts, term))));
  const bonus = phrase !== undefined && phrases.includes(` ${phrase} `) ? PHRASE_SCORE : 0;
  return {
    entry,
    index,
    score: scores.reduce((sum, score) => sum + score, bonus),
    missing: scores.filter(score => score === 0).length,
    strong: scores.filter(score => score >= STRONG_SCORE).length,
  };
}

interface SearchText {
  readonly parts: readonly (readonly [tokens: readonly string[], weight: number])[];
  /** The name and the uses, as words between spaces. */
  readonly phrases: string;
}
/** A cache, because splitting the texts takes longer than the search. */
const textByEntry = new WeakMap<SearchableEntry, SearchText>();

function getText(entry: SearchableEntry): SearchText {
  const known = textByEntry.get(entry);
  if (known !== undefined) return known;
  const { nodeType, label, description, category } = entry;
  const uses = USES.filter(([type]) => type.test(nodeType)).map(([, words]) => words);
  const name = splitWords(label);
  const text: SearchText = {
    parts: [
      [name, WEIGHTS.name],
      [splitWords(uses.join(' ')), WEIGHTS.uses],
      [splitWords(`${nodeType} ${category}`.replaceAll('_', ' ')), WEIGHTS.type],
      [splitWords(description ?? ''), WEIGHTS.about],
    ],
    phrases: ` ${[name.join(' '), ...uses].join(' | ')} `,
  };
  textByEntry.set(entry, text);
  return text;
}

/** A word to search, with the fit of each word of the entries that was compared with it: most are in many entries. */
interface Term {
  readonly word: string;
  readonly stem: string;
  readonly factor: number;
  readonly fits: Map<string, number>;
}

const createTerm = (word: string, factor: number): Term => ({
  word,
  stem: toStem(word),
  factor,
  fits: new Map(),
});

function scoreTerm(parts: SearchText['parts'], term: Term): number {
  let best = 0;
  for (const [tokens, weight] of parts)
    for (const token of tokens) {
      let fit = term.fits.get(token);
      if (fit === undefined) {
        fit = computeFit(token, term);
        term.fits.set(token, fit);
      }
      best = Math.max(best, fit * weight);
    }
  return best * term.factor;
}

/** Returns how well a word of an entry fits: completely, by its beginning, by its stem, or by any part. */
function computeFit(token: string, { word, stem }: Term): number {
  if (token === word) return 2;
  if (token.startsWith(word)) return 1.75;
  if (token.startsWith(stem) && token.length <= stem.length + MAX_SUFFIX) return 1.5;
  // Numbers and short terms are parts of too many words.
  return word.length > 2 && token.includes(word) ? 1 : 0;
}

const SUFFIX = /(?:ations?|ings?|ers?|als?|ed|es|s|e)$/;
const MIN_STEM = 4;
const MAX_SUFFIX = 6;

function toStem(word: string): string {
  const stem = word.replace(SUFFIX, '');
  return stem.length >= MIN_STEM ? stem : word.replace(/s$/, '');
}
