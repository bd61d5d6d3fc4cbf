// Converts caption tracks (SRT, WebVTT, cues or words) to pages, and pages to text nodes.
import type { CaptionTrack, Word } from '../schema/scene-graph.ts';
import { DEFAULT_NODE, type DrawNode, type TextContent, type TextRun } from './draw-list.ts';
import { translation } from './matrix.ts';
import { type Names, resolveColor, type Scope } from './scope.ts';
import { applyCase, toStyleContent } from './text-content.ts';

/** Words that are shown together from `start` to `end`, in seconds. Each word has its own times, too. */
export interface CaptionPage {
  readonly start: number;
  readonly end: number;
  readonly words: readonly Word[];
}

const MAX_PAGES = 20_000;
/** A pause this long between words starts a new page. A page stays this long after its last word. */
const PAUSE_SECONDS = 0.8;
const LINGER_SECONDS = 0.35;
const SENTENCE_END = /[.?!。？！…]["'”’)]*$/;

/** Returns the pages of the track, in order. */
export function readCaptionPages(track: CaptionTrack): readonly CaptionPage[] {
  const cues = track.cues ?? parseSubtitles(track.srt ?? track.vtt ?? '');
  const words = (track.words ?? cues.flatMap(timeWords))
    .map(word => ({ ...word, start: word.start + (track.offset ?? 0), end: word.end + (track.offset ?? 0) }))
    .sort((a, b) => a.start - b.start);
  const keepsCues = track.words === undefined && track.mode !== 'word' && track.maxWords === undefined;
  const maxWords = track.mode === 'word' ? 1 : (track.maxWords ?? 6);
  const cueEnds = new Set(cues.map(cue => cue.end + (track.offset ?? 0)));
  const phrases: Word[][] = [];
  for (const word of words) {
    const phrase = phrases.at(-1);
    const lastWord = phrase?.at(-1);
    const startsPhrase =
      phrase === undefined ||
      lastWord === undefined ||
      word.start - lastWord.end > PAUSE_SECONDS ||
      cueEnds.has(lastWord.end) ||
      (!keepsCues && SENTENCE_END.test(lastWord.text));
    if (startsPhrase) phrases.push([word]);
    else phrase.push(word);
  }
  const pages = keepsCues ? phrases : phrases.flatMap(phrase => splitIntoPages(phrase, maxWords));
  return pages.slice(0, MAX_PAGES).map((page, index) => {
    const [start, end] = [page[0]?.start ?? 0, page.at(-1)?.end ?? 0];
    const nextStart = pages[index + 1]?.[0]?.start ?? Number.POSITIVE_INFINITY;
    return { start, end: Math.min(end + LINGER_SECONDS, Math.max(end, nextStart), nextStart), words: page };
  });
}

/** Splits a phrase into pages of similar length, so that the last word is not left alone. */
function splitIntoPages(phrase: readonly Word[], maxWords: number): readonly (readonly Word[])[] {
  const count = Math.ceil(phrase.length / maxWords);
  const getStart = (page: number): number => Math.ceil((page * phrase.length) / count);
  return Array.from({ length: count }, (_, page) => phrase.slice(getStart(page), getStart(page + 1)));
}

const TIMESTAMP = /(?:(\d{1,3}):)?(\d{1,2}):(\d{2})[.,](\d{1,3})/;
const ARROW = new RegExp(`^\\s*${TIMESTAMP.source}\\s*-->\\s*${TIMESTAMP.source}`);

/** Parses SRT or WebVTT. They differ only in lines other than times and texts, which are skipped. */
export function parseSubtitles(text: string): readonly Word[] {
  const cues: Word[] = [];
  for (const block of text
    .replaceAll('\r\n', '\n')
    .split(/\n{2,}/)
    .slice(0, MAX_PAGES)) {
    const lines = block.split('\n');
    const timeLine = lines.findIndex(line => ARROW.test(line));
    const match = ARROW.exec(lines[timeLine] ?? '');
    if (match === null) continue;
    const [start, end] = [parseTimestamp(match.slice(1, 5)), parseTimestamp(match.slice(5, 9))];
    const cueText = lines
      .slice(timeLine + 1)
      .join(' ')
      .replace(/<[^>]{0,100}>|\{\\[^}]{0,100}\}/g, '')
      .trim();
    if (cueText !== '' && end > start) cues.push({ text: cueText.slice(0, 2000), start, end });
  }
  return cues;
}

function parseTimestamp([hours = '0', minutes = '0', whole = '0', part = '0']: readonly (
  | string
  | undefined
)[]): number {
  return Number(hours) * 3600 + Number(minutes) * 60 + Number(whole) + Number(part.padEnd(3, '0')) / 1000;
}

/** Distributes the time of a cue over its words by their length. */
function timeWords({ text, start, end }: Word): readonly Word[] {
  const words = text.split(/\s+/).filter(word => word !== '');
  const total = words.reduce((sum, word) => sum + word.length + 1, 0);
  let usedChars = 0;
  return words.map((word, index) => {
    const from = start + ((end - start) * usedChars) / total;
    usedChars += word.length + 1;
    // The last word ends exactly when its cue ends, so that cues stay on separate pages.
    const to = index === words.length - 1 ? end : start + ((end - start) * usedChars) / total;
    return { text: word, start: from, end: to };
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
    const end = page.words[index + 1]?.start ?? page.end;
    const isActive = isKaraoke && scope.now >= word.start - 1e-6 && scope.now < end - 1e-6;
    const text = applyCase(word.text, track.style?.case);
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
