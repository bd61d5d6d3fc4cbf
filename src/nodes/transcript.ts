// Reads transcriptions of servers that speak OpenAI's protocol. They differ in what they time: words, segments, both with
// each other inside, or nothing.
import { cutText } from '../lib/cut-text.ts';
import { isRecord } from '../lib/record.ts';
import { yieldTurn } from '../lib/yield-turn.ts';

/** A word or line with its times in seconds, as the video renderer takes it. */
export interface TimedText {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** What the renderer's `captionTrack` takes. */
export type Captions = { readonly words: readonly TimedText[] } | { readonly cues: readonly TimedText[] };

/** The transcription of a part of the audio. */
export interface TranscriptPart {
  readonly text: string;
  /** Absent if the server timed no words. */
  readonly words?: readonly TimedText[];
  readonly cues: readonly TimedText[];
  /** ISO 639-1. */
  readonly language?: string;
}

// The limits of the renderer's captions.
const MAX_WORDS = 20_000;
const MAX_CUES = 5_000;
const MAX_LENGTH = 200;
const WORDS_PER_CUE = 8;

/** Reads the response for a part of the audio that starts at `offset` and lasts `seconds`. */
export async function readTranscript(
  reply: unknown,
  { offset, seconds }: { readonly offset: number; readonly seconds: number },
): Promise<TranscriptPart> {
  const body = isRecord(reply) ? reply : {};
  const text = typeof body.text === 'string' ? body.text.replaceAll(/\s+/g, ' ').trim() : '';
  const segments = asList(body.segments);
  const inSegments = segments.flatMap(segment => asList(segment.words).slice(0, MAX_WORDS));
  const rawWords = asList(body.words).length > 0 ? asList(body.words) : inSegments.slice(0, MAX_WORDS);
  const toTimed = (item: Record<string, unknown>): readonly TimedText[] => readTimed(item, offset, seconds);
  const words: TimedText[] = [];
  for (const word of joinTokens(rawWords)) {
    await yieldTurn();
    words.push(...toTimed(word));
  }
  const cues = segments.slice(0, MAX_CUES).flatMap(toTimed);
  const whole = text === '' ? [] : [{ text, start: round(offset), end: round(offset + seconds) }];
  const language = toLanguageCode(body.language ?? body.detected_language);
  return {
    text,
    ...(words.length === 0 && text !== '' ? {} : { words }),
    cues: cues.length > 0 ? cues : whole,
    ...(language === undefined ? {} : { language }),
  };
}

const asList = (value: unknown): readonly Record<string, unknown>[] =>
  Array.isArray(value) ? value.slice(0, MAX_WORDS).filter(isRecord) : [];

/** Scripts without spaces between words, whose tokens are not joined. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;

/**
 * Joins the tokens of whisper.cpp to words: each word starts with a space, and other tokens continue it. Servers whose
 * words do not start with a space send whole words.
 */
function joinTokens(tokens: readonly Record<string, unknown>[]): readonly Record<string, unknown>[] {
  const getWord = ({ word, text }: Record<string, unknown>): string => String(word ?? text ?? '');
  if (!tokens.some(token => getWord(token).startsWith(' '))) return tokens;
  const words: Record<string, unknown>[] = [];
  for (const token of tokens) {
    const part = getWord(token);
    const previous = words.at(-1);
    const continues = previous !== undefined && part !== '' && !part.startsWith(' ') && !UNSPACED.test(part);
    if (continues && !UNSPACED.test(getWord(previous).slice(-1)) && getWord(previous).length < MAX_LENGTH)
      words[words.length - 1] = { ...previous, word: getWord(previous) + part, end: token.end };
    else words.push({ ...token, word: part });
  }
  return words;
}

/** Returns the text with its times, within the part of the audio. Returns nothing without text or times. */
function readTimed(item: Record<string, unknown>, offset: number, seconds: number): readonly TimedText[] {
  const text = String(item.word ?? item.text ?? '').trim();
  const { start, end } = item;
  if (text === '' || typeof start !== 'number' || typeof end !== 'number') return [];
  if (!Number.isFinite(start) || !Number.isFinite(end)) return [];
  const from = Math.min(Math.max(0, start), seconds);
  const to = Math.min(Math.max(from, end), seconds);
  return [{ text, start: round(offset + from), end: round(offset + to) }];
}

const round = (value: number): number => Math.round(value * 1000) / 1000;

/** Returns the captions of all parts: words if every part has them, otherwise lines. */
export function toCaptions(parts: readonly TranscriptPart[]): Captions {
  const words = parts.flatMap(part => part.words ?? []);
  if (parts.every(part => part.words !== undefined) && words.length <= MAX_WORDS)
    return { words: words.map(word => ({ ...word, text: cutText(word.text, MAX_LENGTH) })) };
  const cues = parts.flatMap(part =>
    part.cues.length > 1 ? part.cues : (groupWords(part.words) ?? part.cues),
  );
  return { cues: cues.flatMap(splitCue).slice(0, MAX_CUES) };
}

function groupWords(words: readonly TimedText[] | undefined): readonly TimedText[] | undefined {
  if (words === undefined) return undefined;
  const groups = [...words.keys()]
    .filter(index => index % WORDS_PER_CUE === 0)
    .map(index => words.slice(index, index + WORDS_PER_CUE));
  return groups.flatMap(group => {
    const [first, last] = [group[0], group.at(-1)];
    if (first === undefined || last === undefined) return [];
    return [{ text: group.map(({ text }) => text).join(' '), start: first.start, end: last.end }];
  });
}

/** Splits a line that is too long for a caption into lines whose times are shares of its own by their lengths. */
function splitCue(cue: TimedText): readonly TimedText[] {
  if (cue.text.length <= MAX_LENGTH) return [cue];
  const lines = splitText(cue.text);
  const total = lines.reduce((sum, { length }) => sum + length, 0);
  let before = 0;
  return lines.map(text => {
    const start = cue.start + ((cue.end - cue.start) * before) / total;
    before += text.length;
    return { text, start: round(start), end: round(cue.start + ((cue.end - cue.start) * before) / total) };
  });
}

function splitText(text: string): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(' ').flatMap(cutWord)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= MAX_LENGTH)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** Cuts a word that is too long for a line, as texts in scripts without spaces are. */
const cutWord = (word: string): readonly string[] => word.match(/.{1,160}/gsu) ?? [];

/** The languages of Whisper by their ISO 639-1 codes. */
const CODES =
  'af am ar as az ba be bg bn bo br bs ca cs cy da de el en es et eu fa fi fo fr gl gu ha he hi hr ht hu hy id is it ja jv ka kk km kn ko la lb ln lo lt lv mg mi mk ml mn mr ms mt my ne nl nn no oc pa pl ps pt ro ru sa sd si sk sl sn so sq sr su sv sw ta te tg th tk tl tr tt uk ur uz vi yi yo zh'.split(
    ' ',
  );
/** Names and codes of Whisper that are not those of the standards. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  burmese: 'my',
  cantonese: 'zh',
  castilian: 'es',
  flemish: 'nl',
  haitian: 'ht',
  javanese: 'jv',
  jw: 'jv',
  letzeburgesch: 'lb',
  moldavian: 'ro',
  moldovan: 'ro',
  myanmar: 'my',
  nynorsk: 'nn',
  panjabi: 'pa',
  pushto: 'ps',
  sinhalese: 'si',
  tagalog: 'tl',
  valencian: 'ca',
  yue: 'zh',
};

let codesByName: ReadonlyMap<string, string> | undefined;

/** Returns the ISO 639-1 code of a language that a server names by its code or in English. */
function toLanguageCode(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const name = value.trim().toLowerCase();
  const code = name.replace(/[-_].*$/, '');
  if (CODES.includes(code)) return code;
  codesByName ??= new Map([
    ...CODES.map(
      each =>
        [new Intl.DisplayNames('en', { type: 'language' }).of(each)?.toLowerCase() ?? each, each] as const,
    ),
    ...Object.entries(OTHER_NAMES),
  ]);
  return codesByName.get(name) ?? codesByName.get(code);
}
