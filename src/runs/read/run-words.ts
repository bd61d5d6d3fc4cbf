// Builds the search for words in the inputs and results of runs.

import { quoteWord, type RunWords } from '../../store/run-search.ts';
import { listWorkflowsNamed } from '../../store/workflows/named.ts';
import type { RunDeps } from '../deps.ts';
import { splitSearch } from './search-words.ts';

/** Further words are ignored. */
const MAX_WORDS = 8;
/** The maximum number of workflows by whose name a word finds runs. */
const MAX_NAMED = 100;

export interface WordScope {
  /** The id that all runs of the list have in their words; null for all runs. */
  readonly scope: string | null;
  /** The workspace whose workflows are found by their names; null: none. */
  readonly workspace: string | null;
}

/** Returns null for a search without words. Each word must be in the run or in the name of its workflow. */
export async function readRunWords(
  { db }: Pick<RunDeps, 'db'>,
  search: string | undefined,
  { scope, workspace }: WordScope,
): Promise<RunWords | null> {
  const parts: string[] = [];
  for (const { text, isPrefix } of splitSearch(search ?? '', MAX_WORDS)) {
    const workflowIds =
      workspace === null ? [] : await listWorkflowsNamed(db, workspace, { text, limit: MAX_NAMED });
    const word = quoteWord(text) + (isPrefix ? ':*' : '');
    parts.push(`(${[word, ...workflowIds.map(quoteWord)].join(' | ')})`);
  }
  return parts.length === 0 ? null : { query: parts.join(' & '), scope };
}
