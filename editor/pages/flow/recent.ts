// The node types that were added last in this browser.
const KEY = 'graphwright-recent-nodes';
const MAX = 5;

export function recentTypes(): readonly string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(kept) ? kept.filter(type => typeof type === 'string').slice(0, MAX) : [];
  } catch {
    return [];
  }
}

export function remember(nodeType: string): void {
  try {
    const rest = recentTypes().filter(type => type !== nodeType);
    localStorage.setItem(KEY, JSON.stringify([nodeType, ...rest].slice(0, MAX)));
  } catch {
    // A browser that keeps nothing has no recent ones.
    return;
  }
}
