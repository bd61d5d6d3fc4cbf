// Converts caption tracks (SRT, WebVTT, cues or words) to pages, and pages to text nodes.
import type { CaptionTrack, Word } from '../schema/scene-graph.ts';
import { DEFAULT_NODE, type DrawNode, type TextContent, type TextRun } from './draw-list.ts';
import { translation } from './matrix.ts';
import { type Names, resolveColor, type Scope } from './scope.ts';
import { toDrawnText, toStyleContent } from './text-content.ts';

/** Words that are shown together from `start` to `end`, in seconds. Each word has its own times, too. */
export interface CaptionPage {
  readonly start: number;
  readonly end: number;
  readonly words: readonly Word[];
}

const MAX_PAGES = 20_000;
/** The maximum number of cues of a subtitle file that are read. */
const MAX_CUES = 20_000;
/** A pause this long between words starts a new page. */
const PAUSE_SECONDS = 0.8;
/** A page stays this long after its last word, unless the next page starts. */
const LINGER_SECONDS = 0.35;
const SENTENCE_END = /[.?!。？！…]["'”’)]*$/;

/** Returns the pages of the track, in order. */
export function readCaptionPages(track: CaptionTrack): readonly CaptionPage[] {
  const keepsCues = track.words === undefined && track.mode !== 'word' && track.maxWords === undefined;
  const maxWords = track.mode === 'word' ? 1 : (track.maxWords ?? 6);
  // Cues may overlap, so each cue is split into pages separately.
  const groups = track.words === undefined ? readCues(track).map(timeWords) : [track.words.toSorted(byStart)];
  const pages = (
    keepsCues ? groups : groups.flatMap(splitIntoPhrases).flatMap(phrase => splitIntoPages(phrase, maxWords))
  )
    .flatMap(words => toPage(words, track.offset ?? 0))
    .sort(byStart)
    .slice(0, MAX_PAGES);
  return pages.map((page, index) => {
    const nextStart = pages[index + 1]?.start ?? Number.POSITIVE_INFINITY;
    return { ...page, end: Math.min(page.end + LINGER_SECONDS, nextStart) };
  });
}

const byStart = (a: { readonly start: number }, b: { readonly start: number }): number => a.start - b.start;

/** Returns the cues of the track. Joins cues that start at the same time, because only one page is shown at a time. */
function readCues({ cues, srt, vtt }: CaptionTrack): readonly Word[] {
  const allCues = cues ?? (srt === undefined ? parseSubtitles(vtt ?? '', 'vtt') : parseSubtitles(srt, 'srt'));
  return [...Map.groupBy(allCues, cue => cue.start)].map(([start, simultaneous]) => ({
    text: simultaneous.map(cue => cue.text).join(' '),
    start,
    end: Math.max(...simultaneous.map(cue => cue.end)),
  }));
}

/** Splits words after pauses and sentences. */
function splitIntoPhrases(words: readonly Word[]): readonly (readonly Word[])[] {
  const phrases: Word[][] = [];
  for (const word of words) {
    const phrase = phrases.at(-1);
    const lastWord = phrase?.at(-1);
    const startsPhrase =
      phrase === undefined ||
      lastWord === undefined ||
      word.start - lastWord.end > PAUSE_SECONDS ||
      SENTENCE_END.test(lastWord.text);
    if (startsPhrase) phrases.push([word]);
    else phrase.push(word);
  }
  return phrases;
}

/** Returns the page of the words, moved by the offset, or no page for no words. */
function toPage(words: readonly Word[], offset: number): readonly CaptionPage[] {
  const [firstWord, lastWord] = [words[0], words.at(-1)];
  if (firstWord === undefined || lastWord === undefined) return [];
  const moved = words.map(word => ({ ...word, start: word.start + offset, end: word.end + offset }));
  return [{ start: firstWord.start + offset, end: lastWord.end + offset, words: moved }];
}

/** Splits a phrase into pages of similar length, so that the last word is not left alone. */
function splitIntoPages(phrase: readonly Word[], maxWords: number): readonly (readonly Word[])[] {
  const count = Math.ceil(phrase.length / maxWords);
  const getStart = (page: number): number => Math.ceil((page * phrase.length) / count);
  return Array.from({ length: count }, (_, page) => phrase.slice(getStart(page), getStart(page + 1)));
}

// Translators and converters add spaces, shorten the arrow and leave out the fraction.
const TIMESTAMP = /(?:(\d{1,3}) ?: ?)?(\d{1,2}) ?: ?(\d{1,2})(?: ?[.,] ?(\d{1,3}))?/;
const TIME_LINE = new RegExp(`^\\s*${TIMESTAMP.source}\\s*--?>\\s*${TIMESTAMP.source}`);
/** Matches tags and the times of words, but not the "<" of a text such as "I <3 you". */
const MARKUP = /<\/?[a-z][\w.]*(?:[\s=][^<>]{0,100})?>|<[\d:.]{1,20}>|\{\\[^}]{0,100}\}/gi;
const ENTITY = /&(?:([a-z]{2,4})|#(\d{1,7})|#x([\da-f]{1,6}));/gi;

const VTT_ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  lrm: '\u200e',
  rlm: '\u200f',
};

interface Cue {
  readonly start: number;
  readonly end: number;
  readonly lines: string[];
}

/**
 * Parses SRT or WebVTT. Skips cue numbers, ids, settings and everything before the first time. The blank line between cues
 * may be missing. In SRT, a text may contain blank lines.
 */
export function parseSubtitles(text: string, format: 'srt' | 'vtt'): readonly Word[] {
  const cues: Cue[] = [];
  /** The cue that lines belong to. */
  let cue: Cue | undefined;
  for (const line of text.split(/\r\n|\r|\n/)) {
    const match = TIME_LINE.exec(line);
    if (match !== null) {
      // The number of the next cue is on the line before its time.
      if (/^\d+$/.test(cue?.lines.at(-1) ?? '')) cue?.lines.pop();
      cue = {
        start: parseTimestamp(match.slice(1, 5)),
        end: parseTimestamp(match.slice(5, 9)),
        lines: [],
      };
      if (cues.push(cue) > MAX_CUES) break;
    } else if (format === 'vtt' && line.trim() === '' && (cue?.lines.length ?? 0) > 0) cue = undefined;
    else cue?.lines.push(line.trim());
  }
  return cues.slice(0, MAX_CUES).flatMap(({ start, end, lines }) => {
    const cueText = toPlainText(lines.join(' '), format)
      .replaceAll(/[ \t]+/g, ' ')
      .trim();
    return cueText !== '' && end > start ? [{ text: cueText.slice(0, 2000), start, end }] : [];
  });
}

function toPlainText(text: string, format: 'srt' | 'vtt'): string {
  const plainText = text.replace(MARKUP, '');
  if (format === 'srt') return plainText;
  return plainText.replace(ENTITY, (entity, name?: string, decimal?: string, hex?: string) => {
    if (name !== undefined) return VTT_ENTITIES[name] ?? entity;
    const code = Number.parseInt(decimal ?? hex ?? '', decimal === undefined ? 16 : 10);
    return code > 0 && code <= 0x10_ffff ? String.fromCodePoint(code) : entity;
  });
}

function parseTimestamp([hours = '0', minutes = '0', seconds = '0', fraction = '0']: readonly (
  | string
  | undefined
)[]): number {
  return (
    Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds) + Number(fraction.padEnd(3, '0')) / 1000
  );
}

/** Distributes the time of a cue over its words by their length. */
function timeWords({ text, start, end }: Word): readonly Word[] {
  const words = text.split(/\s+/).filter(word => word !== '');
  const total = words.reduce((sum, word) => sum + word.length + 1, 0);
  let usedChars = 0;
  return words.map(word => {
    const from = start + ((end - start) * usedChars) / total;
    usedChars += word.length + 1;
    return { text: word, start: from, end: start + ((end - start) * usedChars) / total };
  });
}

/** Returns the node that shows the current page, if there is one. */
export function createCaptionNode(
  track: CaptionTrack,
  pages: readonly CaptionPage[],
  scope: Scope,
): DrawNode | undefined {
  if (track.hidden === true) return undefined;
  const page = pages.find(({ start, end }) => scope.now >= start - 1e-6 && scope.now < end - 1e-6);
  if (page === undefined) return undefined;
  const { width, height } = scope.frame;
  const inset = (track.safeArea ?? 0.12) * Math.min(width, height);
  const box = { width: width - 2 * inset, height: (height - 2 * inset) / 3 };
  const vAlign = track.position ?? 'bottom';
  const top = { top: inset, middle: (height - box.height) / 2, bottom: height - inset - box.height }[vAlign];
  return {
    ...DEFAULT_NODE,
    pointer: '/captionTrack',
    matrix: translation(inset, top),
    ...box,
    content: createCaptionText(track, page, scope, vAlign),
  };
}

const TEXT_BACKGROUND = { per: 'line', padding: 0.32, radius: 0.22 } as const;

function createCaptionText(
  track: CaptionTrack,
  page: CaptionPage,
  scope: Scope,
  vAlign: TextContent['vAlign'],
): TextContent {
  const style = toStyleContent(
    { fontWeight: 800, fontSize: '5.4vmin', textShadow: {}, ...track.style },
    scope,
  );
  const isKaraoke = track.mode === 'karaoke';
  const runs = page.words.map((word, index): TextRun => {
    // A word stays highlighted until the next word starts.
    const highlightEnd = page.words[index + 1]?.start ?? page.end;
    const isActive = isKaraoke && scope.now >= word.start - 1e-6 && scope.now < highlightEnd - 1e-6;
    const text = toDrawnText(word.text, track.style?.case);
    return {
      text: index === page.words.length - 1 ? text : `${text} `,
      family: style.family,
      weight: style.weight,
      italic: style.italic,
      size: 1,
      ...(isActive ? getActiveStyle(track, scope.names) : {}),
    };
  });
  return {
    ...style,
    runs,
    fit: 'shrink',
    minSize: style.size * 0.4,
    maxSize: style.size,
    vAlign,
    direction: 'auto',
    maxLines: track.maxLines ?? 2,
    overflow: 'ellipsis',
    ...(track.background === undefined
      ? {}
      : {
          textBackground: { ...TEXT_BACKGROUND, color: resolveColor(track.background, scope.names) },
        }),
  };
}

function getActiveStyle({ active }: CaptionTrack, names: Names): Pick<TextRun, 'color' | 'highlight'> {
  return {
    color: resolveColor(active?.color ?? '#ffd84d', names),
    ...(active?.background === undefined ? {} : { highlight: resolveColor(active.background, names) }),
  };
}
