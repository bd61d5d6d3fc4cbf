// Lists the small changes to a source file that a test should notice.
import { stripTypeScriptTypes } from 'node:module';
import { endsOperand, type Token, tokenize } from './tokens.ts';

/** A replacement of the text from `start` to `end`. */
export interface Mutation {
  readonly start: number;
  readonly end: number;
  readonly line: number;
  readonly before: string;
  readonly after: string;
}

type Change = Pick<Mutation, 'start' | 'end' | 'after'>;

const OPERATORS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '<': '<=',
    '<=': '<',
    '>': '>=',
    '>=': '>',
    '===': '!==',
    '!==': '===',
    '&&': '||',
    '||': '&&',
    '+': '-',
    '-': '+',
    '*': '/',
    '/': '*',
    '+=': '-=',
    '-=': '+=',
  }),
);

const WORDS: ReadonlyMap<string, string> = new Map([
  ['true', 'false'],
  ['false', 'true'],
]);

/** Larger numbers are durations and sizes, for which one more or less makes no difference. */
const MAX_NUMBER = 1_000;

/** Replacements in SQL texts. A pattern matches only the text to replace. */
const SQL: readonly (readonly [pattern: RegExp, after: string])[] = [
  [/(?<!between \S+ )\band\b/g, 'or'],
  [/(?<!create )\bor\b(?! replace)/g, 'and'],
  [/\basc\b/g, 'desc'],
  [/\bdesc\b/g, 'asc'],
  [/\btrue\b/g, 'false'],
  [/\bfalse\b/g, 'true'],
  [/\bis null\b/g, 'is not null'],
  [/\bis not null\b/g, 'is null'],
  [/\bnot exists\b/g, 'exists'],
  [/\bleast\b/g, 'greatest'],
  [/\bgreatest\b/g, 'least'],
  [/(?<= )<(?= )/g, '<='],
  [/(?<= )<=(?= )/g, '<'],
  [/(?<= )>(?= )/g, '>='],
  [/(?<= )>=(?= )/g, '>'],
  [/(?<= )\+(?= )/g, '-'],
  [/(?<= )-(?= )/g, '+'],
  // After other words, the equals sign assigns.
  [/(?<=\b(?:where|and|or|on|when|filter)\b[^,;=]*? )=(?= (?!any))/g, '<>'],
];

const SQL_WORD = /\b(?:select|insert into|update|delete from|where|order by|returning|and|or|on|when|set)\s/;

const NOT_A_CALL: ReadonlySet<string> = new Set(
  'if for while switch return throw const let var function class import export super case catch do else new yield'.split(
    ' ',
  ),
);

/**
 * Returns the mutations of a TypeScript file in the order of their positions. None is in a type, a comment or an import.
 * Strings and templates are mutated as SQL if `hasSql` is true.
 */
export function listMutations(source: string, hasSql: boolean): readonly Mutation[] {
  const tokens = tokenize(stripTypeScriptTypes(source));
  return tokens
    .flatMap((_, at) => [
      ...changeToken(tokens, at),
      ...(hasSql ? changeSql(tokens[at]) : []),
      ...removeCall(tokens, at),
    ])
    .map(change => ({
      ...change,
      line: source.slice(0, change.start).split('\n').length,
      before: source.slice(change.start, change.end),
      after: change.after.replace(/\$(?<from>\d+)-(?<to>\d+)/g, (_, from, to) => source.slice(from, to)),
    }))
    .sort((a, b) => a.start - b.start || a.end - b.end);
}

/** Applies a mutation. Returns undefined if the result is not a program. */
export function mutate(source: string, { start, end, after }: Change): string | undefined {
  const mutant = source.slice(0, start) + after + source.slice(end);
  try {
    stripTypeScriptTypes(mutant);
    return mutant;
  } catch {
    return undefined;
  }
}

function changeToken(tokens: readonly Token[], at: number): readonly Change[] {
  const token = tokens[at];
  if (token === undefined) return [];
  const { kind, text, start, end } = token;
  const replace = (after: string | undefined): readonly Change[] =>
    after === undefined || after === text ? [] : [{ start, end, after }];
  const isKey =
    tokens[at + 1]?.text === ':' && (tokens[at - 1]?.text === '{' || tokens[at - 1]?.text === ',');
  if (isKey || isImport(tokens, at)) return [];
  // Texts with spaces are for people or SQL.
  if (kind === 'string') return text.length === 2 || /\s|^.\.\.?\//.test(text) ? [] : replace("''");
  if (kind === 'number') return replace(changeNumber(text));
  if (kind === 'name') return tokens[at - 1]?.text === '.' ? [] : replace(WORDS.get(text));
  if (kind !== 'operator') return [];
  if (text === '!') return replace('');
  if (text === '??') {
    const stop = findEnd(tokens, at + 1, [',', ';', '?', ':', '??']);
    return [{ start, end: stop, after: '' }];
  }
  if (text === '?') return swapBranches(tokens, at);
  return endsOperand(tokens[at - 1]) ? replace(OPERATORS.get(text)) : [];
}

function isImport(tokens: readonly Token[], at: number): boolean {
  const [before, opening] = [tokens[at - 1], tokens[at - 2]];
  return (
    before?.text === 'from' ||
    before?.text === 'import' ||
    (before?.text === '(' && (opening?.text === 'import' || opening?.text === 'resolve'))
  );
}

function changeNumber(text: string): string | undefined {
  const value = Number(text.replaceAll('_', ''));
  if (!Number.isInteger(value) || value > MAX_NUMBER || !/^\d/.test(text)) return undefined;
  return value === 1 ? '0' : String(value + 1);
}

/** Swaps the values of a conditional expression, whose question mark is at `at`. */
function swapBranches(tokens: readonly Token[], at: number): readonly Change[] {
  const first = tokens[at + 1];
  const colon = findIndex(tokens, at + 1, [':']);
  const second = tokens[colon + 1];
  const last = tokens[colon - 1];
  if (first === undefined || second === undefined || last === undefined) return [];
  const end = findEnd(tokens, colon + 1, [',', ';', ':']);
  // listMutations replaces `$start-end` by the text of the source, which still has its types.
  const after = `($${second.start}-${end}) : ($${first.start}-${last.end})`;
  return [{ start: first.start, end, after }];
}

/** Returns the index of the first of these operators outside of brackets and nested conditions, or of the closing bracket. */
function findIndex(tokens: readonly Token[], from: number, operators: readonly string[]): number {
  let depth = 0;
  let conditions = 0;
  for (let index = from; index < tokens.length; index++) {
    const { kind, text } = tokens[index] as Token;
    if (kind === 'open') depth++;
    else if (kind === 'close' && --depth < 0) return index;
    if (depth > 0 || kind !== 'operator') continue;
    if (text === ':' && conditions > 0) conditions--;
    else if (operators.includes(text)) return index;
    else if (text === '?') conditions++;
  }
  return tokens.length;
}

/** Returns the end of the expression that starts at `from`. */
const findEnd = (tokens: readonly Token[], from: number, operators: readonly string[]): number =>
  tokens[findIndex(tokens, from, operators) - 1]?.end ?? 0;

/** Removes a statement that only calls a function. */
function removeCall(tokens: readonly Token[], at: number): readonly Change[] {
  const before = tokens[at - 1]?.text ?? ';';
  if (before !== ';' && before !== '{' && before !== '}') return [];
  const start = tokens[at];
  const isAwaited = start?.text === 'await' || start?.text === 'void';
  const name = isAwaited ? tokens[at + 1] : start;
  if (start === undefined || name?.kind !== 'name' || NOT_A_CALL.has(name.text)) return [];
  let index = isAwaited ? at + 2 : at + 1;
  for (; tokens[index] !== undefined && tokens[index]?.text !== ';'; index++) {
    const { kind, text } = tokens[index] as Token;
    if (kind === 'open' && (text === '(' || text === '[')) index = findIndex(tokens, index + 1, []);
    else if (text !== '.' && text !== '?.' && tokens[index - 1]?.text !== '.') return [];
  }
  const last = tokens[index - 1];
  return last?.text === ')' ? [{ start: start.start, end: last.end, after: '' }] : [];
}

function changeSql(token: Token | undefined): readonly Change[] {
  if (token?.kind !== 'template' && token?.kind !== 'string') return [];
  const { text, start } = token;
  if (!SQL_WORD.test(text)) return [];
  const comments = [...text.matchAll(/--.*$/gm)];
  return SQL.flatMap(([pattern, after]) =>
    [...text.matchAll(pattern)]
      .filter(({ index }) => !comments.some(comment => isWithin(index, comment)))
      .map(({ 0: found, index }) => ({ start: start + index, end: start + index + found.length, after })),
  );
}

const isWithin = (index: number, { 0: found, index: start }: RegExpExecArray): boolean =>
  index >= start && index < start + found.length;
