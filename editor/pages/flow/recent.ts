// Stores what the palette remembers in this browser: recent types, favorites, and latest results per type.
const RECENT = 'graphwright-recent-nodes';
const FAVORITES = 'graphwright-favourite-nodes';
const PICTURES = 'graphwright-node-icons';
const MAX_RECENT = 5;
const MAX_FAVORITES = 20;
/** Pairs of type and URL, newest first. */
const MAX_PICTURES = 40;
/** A data URL would exceed the storage. */
const MAX_URL_CHARS = 500;

export const recentTypes = (): readonly string[] => read(RECENT, MAX_RECENT);
export const favoriteTypes = (): readonly string[] => read(FAVORITES, MAX_FAVORITES);

export function remember(nodeType: string): void {
  write(RECENT, [nodeType, ...recentTypes().filter(type => type !== nodeType)].slice(0, MAX_RECENT));
}

/** Toggles a favorite. Returns whether it is one now. */
export function toggleFavorite(nodeType: string): boolean {
  const others = favoriteTypes().filter(type => type !== nodeType);
  const isNew = others.length === favoriteTypes().length;
  write(FAVORITES, isNew ? [...others, nodeType].slice(-MAX_FAVORITES) : others);
  return isNew;
}

/** Returns the URL of the latest result of the type. */
export function lastPictureOf(nodeType: string): string | undefined {
  return readPairs().find(([type]) => type === nodeType)?.[1];
}

export function keepPictures(made: readonly (readonly [nodeType: string, url: string])[]): void {
  const fresh = new Map(made.filter(([, url]) => url.length <= MAX_URL_CHARS));
  const pairs = [...fresh, ...readPairs().filter(([type]) => !fresh.has(type))];
  write(PICTURES, pairs.slice(0, MAX_PICTURES).flat());
}

function readPairs(): readonly (readonly [nodeType: string, url: string])[] {
  const kept = read(PICTURES, MAX_PICTURES * 2);
  return kept.flatMap((type, index) => (index % 2 === 0 ? [[type, kept[index + 1] ?? ''] as const] : []));
}

function read(key: string, max: number): readonly string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(key) ?? '[]');
    return Array.isArray(kept) ? kept.filter(type => typeof type === 'string').slice(0, max) : [];
  } catch {
    return [];
  }
}

function write(key: string, types: readonly string[]): void {
  try {
    localStorage.setItem(key, JSON.stringify(types));
  } catch {
    // Without storage, nothing is remembered.
    return;
  }
}
