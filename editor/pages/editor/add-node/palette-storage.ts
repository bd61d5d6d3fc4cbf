// Stores palette data in this browser: recent node types, favorites, and the latest result image of each type.
const RECENT = 'graphwright-recent-nodes';
const FAVORITES = 'graphwright-favourite-nodes';
const RESULT_IMAGES = 'graphwright-node-icons';
const MAX_RECENT = 5;
const MAX_FAVORITES = 20;
/** Result images are stored as pairs of type and URL, newest first. */
const MAX_RESULT_IMAGES = 100;
/** Leaves out data URLs, which would exceed the storage. */
const MAX_URL_CHARS = 500;

export const readRecentTypes = (): readonly string[] => readStrings(RECENT, MAX_RECENT);
export const readFavoriteTypes = (): readonly string[] => readStrings(FAVORITES, MAX_FAVORITES);

export function saveRecentType(nodeType: string): void {
  writeStrings(
    RECENT,
    [nodeType, ...readRecentTypes().filter(type => type !== nodeType)].slice(0, MAX_RECENT),
  );
}

/** Adds or removes a favorite. Returns true if the type is now a favorite. */
export function toggleFavorite(nodeType: string): boolean {
  const otherTypes = readFavoriteTypes().filter(type => type !== nodeType);
  const isNew = otherTypes.length === readFavoriteTypes().length;
  writeStrings(FAVORITES, isNew ? [...otherTypes, nodeType].slice(-MAX_FAVORITES) : otherTypes);
  return isNew;
}

/** Returns the image URL of the type's latest result. */
export function findResultImage(nodeType: string): string | undefined {
  return readPairs().find(([type]) => type === nodeType)?.[1];
}

/** Returns the image URLs of the latest results by type. */
export const readResultImages = (): ReadonlyMap<string, string> => new Map(readPairs());

export function saveResultImages(newImages: readonly (readonly [nodeType: string, url: string])[]): void {
  const byType = new Map(newImages.filter(([, url]) => url.length <= MAX_URL_CHARS));
  const pairs = [...byType, ...readPairs().filter(([type]) => !byType.has(type))];
  writeStrings(RESULT_IMAGES, pairs.slice(0, MAX_RESULT_IMAGES).flat());
}

function readPairs(): readonly (readonly [nodeType: string, url: string])[] {
  const items = readStrings(RESULT_IMAGES, MAX_RESULT_IMAGES * 2);
  return items.flatMap((type, index) => (index % 2 === 0 ? [[type, items[index + 1] ?? ''] as const] : []));
}

function readStrings(key: string, max: number): readonly string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? '[]');
    return Array.isArray(stored) ? stored.filter(type => typeof type === 'string').slice(0, max) : [];
  } catch {
    return [];
  }
}

function writeStrings(key: string, types: readonly string[]): void {
  try {
    localStorage.setItem(key, JSON.stringify(types));
  } catch {
    // Storage is full or blocked: the change is lost.
  }
}
