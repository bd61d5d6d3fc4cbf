// Finds and fills the `{{tokens}}` in the strings of a scene graph. Each token is a required port.
import { listTokens } from '../graph/config-ports.ts';
import { isJsonObject, type Json, type JsonObject } from '../graph/types.ts';
import { getOrCreate } from '../lib/get-or-create.ts';
import { formatValue, parseLoneToken, replaceTokens } from './tokens.ts';
import { requireShortLength } from './value-checks.ts';

export type TokenType = 'TEXT' | 'JSON' | 'IMAGE' | 'VIDEO' | 'AUDIO';

const MAX_TOKENS = 50;
const MAX_DEPTH = 64;
/** Keys of the node's config, which cannot be port names. */
const RESERVED: ReadonlySet<string> = new Set(['templateId', 'props', 'fanOut', 'maxCredits']);
/** Properties in which a lone token is text instead of any value. */
const TEXT_KEYS: ReadonlySet<string> = new Set(['text', 'prefix', 'suffix', 'srt', 'vtt', 'name']);
const SOURCE_TYPES: Readonly<Record<string, TokenType>> = {
  image: 'IMAGE',
  video: 'VIDEO',
  audio: 'AUDIO',
  waveform: 'AUDIO',
};
const STRICTNESS: Readonly<Record<TokenType, number>> = { TEXT: 0, JSON: 1, IMAGE: 2, VIDEO: 2, AUDIO: 2 };

const tokensByGraph = new WeakMap<object, ReadonlyMap<string, TokenType>>();

/**
 * Returns the tokens in order with their port types: the media type of the element for a `src`, TEXT inside text, and
 * JSON for a lone token anywhere else. Graphs are immutable, so results are cached.
 */
export function listSceneTokens(graph: JsonObject): ReadonlyMap<string, TokenType> {
  return getOrCreate(tokensByGraph, graph, () => {
    const tokens = new Map<string, TokenType>();
    collect(graph, { key: '', holder: graph, depth: 0 }, tokens);
    return tokens;
  });
}

interface Position {
  readonly key: string;
  readonly holder: JsonObject;
  readonly depth: number;
}

function collect(value: Json, position: Position, tokens: Map<string, TokenType>): void {
  if (typeof value === 'string') {
    for (const name of listTokens(value))
      addToken(tokens, name, parseLoneToken(value) === name ? getTokenType(position) : 'TEXT');
    return;
  }
  if (typeof value !== 'object' || value === null || position.depth > MAX_DEPTH) return;
  const depth = position.depth + 1;
  if (isJsonObject(value)) {
    for (const [key, inner] of Object.entries(value)) collect(inner, { key, holder: value, depth }, tokens);
    return;
  }
  const itemPosition = { ...position, depth };
  for (const inner of value as readonly Json[]) collect(inner, itemPosition, tokens);
}

/** Adds a token. A token that is used in several places has the strictest type. */
function addToken(tokens: Map<string, TokenType>, name: string, type: TokenType): void {
  const knownType = tokens.get(name);
  if (RESERVED.has(name) || (knownType === undefined && tokens.size === MAX_TOKENS)) return;
  if (knownType === undefined || STRICTNESS[type] > STRICTNESS[knownType]) tokens.set(name, type);
}

function getTokenType({ key, holder }: Position): TokenType {
  if (TEXT_KEYS.has(key)) return 'TEXT';
  if (key !== 'src') return 'JSON';
  // Only items of the audio track have a source and no type.
  return typeof holder.type === 'string' ? (SOURCE_TYPES[holder.type] ?? 'TEXT') : 'AUDIO';
}

/** Returns the graph with each token replaced by its value. Throws NodeError if a text becomes too long. */
export function fillScene(graph: JsonObject, getValue: (name: string) => unknown): unknown {
  const tokens = listSceneTokens(graph);
  // Copying a large graph would block the event loop.
  if (tokens.size === 0) return graph;
  let length = 0;
  const fillText = (text: string): unknown => {
    const loneToken = parseLoneToken(text);
    if (loneToken !== undefined && tokens.has(loneToken)) return getValue(loneToken);
    return replaceTokens(text, (name, token) => {
      if (!tokens.has(name)) return token;
      const replacement = formatValue(getValue(name));
      length += replacement.length;
      requireShortLength(length);
      return replacement;
    });
  };
  const fill = (value: Json, depth: number): unknown => {
    if (typeof value === 'string') return fillText(value);
    if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return value;
    if (!isJsonObject(value)) return (value as readonly Json[]).map(inner => fill(inner, depth + 1));
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, fill(inner, depth + 1)]));
  };
  return fill(graph, 0);
}
