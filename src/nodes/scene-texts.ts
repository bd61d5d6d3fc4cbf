// Finds the elements of a scene whose texts have characters that no font has, before the scene is rendered.
import { quote, toJsonPointer } from '../graph/issues.ts';
import { isRecord } from '../lib/record.ts';
import { describeUndrawable, listUndrawable } from '../render/text/coverage.ts';

const MAX_DEPTH = 64;
/** How much text of an element is checked. */
const MAX_LENGTH = 10_000;
const MAX_WARNINGS = 20;
const TEXT_KEYS: ReadonlySet<string> = new Set(['text', 'prefix', 'suffix', 'srt', 'vtt']);
const BEYOND_ASCII = /[^\0-\u007f]/;

/** The part of the scene graph that a warning names. */
interface Part {
  readonly path: readonly (string | number)[];
  readonly name: string;
}

export interface SceneTextWarning {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Returns a warning for each part with such a text. */
export function findUndrawableTexts(graph: unknown): readonly SceneTextWarning[] {
  const lettersByPart = new Map<Part, Set<string>>();
  collect(graph, { path: [], part: { path: [], name: 'scene graph' }, isText: false }, lettersByPart);
  return Array.from(lettersByPart, ([{ path, name }, letters]) => ({
    path,
    message: `The ${name} at ${toJsonPointer(...path)} ${describeUndrawable(letters)}.`,
  })).slice(0, MAX_WARNINGS);
}

interface Position {
  readonly path: readonly (string | number)[];
  readonly part: Part;
  /** Whether the value belongs to a property that is drawn as text. */
  readonly isText: boolean;
}

function collect(value: unknown, position: Position, found: Map<Part, Set<string>>): void {
  const { path, part, isText } = position;
  if (typeof value === 'string') {
    if (!isText || !BEYOND_ASCII.test(value)) return;
    for (const letter of listUndrawable(value.slice(0, MAX_LENGTH)))
      found.set(part, (found.get(part) ?? new Set()).add(letter));
    return;
  }
  if (typeof value !== 'object' || value === null || path.length > MAX_DEPTH) return;
  const nextPart = isRecord(value) ? findPart(value, position) : part;
  for (const [key, inner] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
    if (key === 'metadata') continue;
    // The props of a block are texts, colors and images.
    const isInnerText = isText || TEXT_KEYS.has(String(key)) || key === 'props';
    collect(inner, { path: [...path, key], part: nextPart, isText: isInnerText }, found);
  }
}

/** The names of the parts by the list that they are in. */
const PART_NAMES: Readonly<Record<string, string>> = {
  scenes: 'scene',
  tracks: 'track',
  overlays: 'element',
  elements: 'element',
};

function findPart({ id }: Readonly<Record<string, unknown>>, { path, part }: Position): Part {
  if (path.at(-1) === 'captionTrack') return { path, name: 'caption track' };
  const name = PART_NAMES[String(path.at(-2))];
  if (name === undefined) return part;
  return { path, name: typeof id === 'string' ? `${name} ${quote(id)}` : name };
}
