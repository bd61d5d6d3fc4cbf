// Writes JSON values so that equal values have equal texts: without white space, with keys in a fixed order. Omits undefined
// members, like JSON.stringify. The values must not contain cycles.
import { createHash } from 'node:crypto';
import { isRecord } from './record.ts';
import { yieldTurn } from './yield-turn.ts';

export function toCanonicalJson(value: NonNullable<unknown> | null): string {
  return JSON.stringify(value, (_key, inner: unknown) => (isRecord(inner) ? sortKeys(inner) : inner));
}

/** Returns the object with its keys in a fixed order. */
function sortKeys(object: Readonly<Record<string, unknown>>): Record<string, unknown> {
  // A null prototype, so that `__proto__` is an ordinary key.
  const sorted: Record<string, unknown> = Object.create(null);
  for (const key of Object.keys(object).sort()) sorted[key] = object[key];
  return sorted;
}

/** The text is hashed once it has this many characters. */
const PART_CHARACTERS = 16_384;

/** An open list or object: its items, and the names of the items of an object. */
interface Frame {
  readonly items: readonly unknown[];
  readonly names: readonly string[] | undefined;
  index: number;
}

/**
 * Returns the SHA-256 of `toCanonicalJson(value)` in hex. Writes the text itself, in parts, because a value of 4 MB at once
 * would block the event loop. This takes twice as long.
 */
export async function hashCanonicalJson(root: object): Promise<string> {
  const hash = createHash('sha256');
  const stack: Frame[] = [];
  let text = '';
  const open = (original: unknown): void => {
    const value = hasToJson(original) ? original.toJSON() : original;
    if (typeof value !== 'object' || value === null) text += JSON.stringify(value) ?? 'null';
    else {
      const frame = toFrame(value);
      text += frame.names === undefined ? '[' : '{';
      stack.push(frame);
    }
  };
  open(root);
  for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
    const { items, names, index } = frame;
    if (index === items.length) {
      text += names === undefined ? ']' : '}';
      stack.pop();
    } else {
      frame.index++;
      if (index > 0) text += ',';
      if (names !== undefined) text += `${JSON.stringify(names[index])}:`;
      open(items[index]);
    }
    if (text.length < PART_CHARACTERS) continue;
    hash.update(text);
    text = '';
    await yieldTurn();
  }
  return hash.update(text).digest('hex');
}

function toFrame(value: object): Frame {
  if (Array.isArray(value)) return { items: value, names: undefined, index: 0 };
  const members = Object.entries(sortKeys(value as Readonly<Record<string, unknown>>)).filter(
    ([, member]) => member !== undefined,
  );
  return { items: members.map(([, member]) => member), names: members.map(([name]) => name), index: 0 };
}

const hasToJson = (value: unknown): value is { toJSON(): unknown } =>
  typeof value === 'object' && value !== null && 'toJSON' in value && typeof value.toJSON === 'function';
