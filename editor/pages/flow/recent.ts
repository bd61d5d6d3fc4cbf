// The node types that were added last in this browser, and those that its reader likes best.
const RECENT = 'graphwright-recent-nodes';
const FAVOURITES = 'graphwright-favourite-nodes';
const MAX_RECENT = 5;
const MAX_FAVOURITES = 20;

export const recentTypes = (): readonly string[] => read(RECENT, MAX_RECENT);
export const favouriteTypes = (): readonly string[] => read(FAVOURITES, MAX_FAVOURITES);

export function remember(nodeType: string): void {
  write(RECENT, [nodeType, ...recentTypes().filter(type => type !== nodeType)].slice(0, MAX_RECENT));
}

/** Makes it a favourite, or no longer one; whether it is one now. */
export function toggleFavourite(nodeType: string): boolean {
  const others = favouriteTypes().filter(type => type !== nodeType);
  const isNew = others.length === favouriteTypes().length;
  write(FAVOURITES, isNew ? [...others, nodeType].slice(-MAX_FAVOURITES) : others);
  return isNew;
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
    // A browser that keeps nothing has none the next time.
    return;
  }
}
