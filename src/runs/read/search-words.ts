// Splits texts and searches into words, in any script. Scripts without spaces are split into pairs of characters.

/** Letters of scripts that are written without spaces between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const WORD = /[\p{L}\p{M}\p{N}]+/gu;
/** Longer words are cut. */
const MAX_WORD_CHARS = 40;

/** Adds the distinct words of the text to the set until it has `maxWords`. */
export function addWords(words: Set<string>, text: string, maxWords: number): void {
  for (const run of splitRuns(text)) {
    for (const word of run.isUnspaced ? [...listPairs(run.text), run.text.at(-1) ?? ''] : [run.text]) {
      if (words.size >= maxWords) return;
      words.add(word);
    }
  }
}

/** A word of a search. */
export interface SearchedWord {
  readonly text: string;
  /** Whether words that begin with the text match too. */
  readonly isPrefix: boolean;
}

/** Splits a search into distinct words, at most `maxWords`. */
export function splitSearch(search: string, maxWords: number): readonly SearchedWord[] {
  const words = new Map<string, SearchedWord>();
  for (const { text, isUnspaced } of splitRuns(search)) {
    const parts = isUnspaced && text.length > 1 ? [...listPairs(text)] : [text];
    // Most words begin with each Latin letter, so a single one matches only itself.
    for (const part of parts)
      words.set(part, { text: part, isPrefix: isUnspaced ? text.length === 1 : text.length > 1 });
  }
  return [...words.values()].slice(0, maxWords);
}

interface ScriptRun {
  readonly text: string;
  readonly isUnspaced: boolean;
}

/** Yields words, and the parts of words whose script is written without spaces. */
function* splitRuns(text: string): Generator<ScriptRun, void, undefined> {
  for (const [word] of text.normalize('NFKC').toLowerCase().matchAll(WORD)) {
    let part = '';
    let isUnspaced = false;
    for (const char of word) {
      const next: boolean = UNSPACED.test(char) || (isUnspaced && MARK.test(char));
      if (part !== '' && next !== isUnspaced) {
        yield { text: cutWord(part), isUnspaced };
        part = '';
      }
      isUnspaced = next;
      part += char;
    }
    yield { text: isUnspaced ? part : cutWord(part), isUnspaced };
  }
}

// PostgreSQL cannot store half of a character.
const cutWord = (word: string): string => word.slice(0, MAX_WORD_CHARS).toWellFormed();

const MARK = /\p{M}/u;

function* listPairs(text: string): Generator<string, void, undefined> {
  let previous: string | undefined;
  for (const char of text) {
    if (previous !== undefined) yield previous + char;
    previous = char;
  }
}
