// Stores scroll positions of lists per history entry. Uses session storage, because opening a workflow's board loads
// another page.

const STORAGE_KEY = 'scroll-positions';
const MAX_ENTRIES = 50;

const positions = new Map<string, number>(readStoredPositions());

export const getScrollPosition = (key: string): number => positions.get(key) ?? 0;

export function saveScrollPosition(key: string, top: number): void {
  // Moves the entry to the end, so that the oldest comes first.
  positions.delete(key);
  positions.set(key, top);
}

window.addEventListener('pagehide', () => {
  try {
    sessionStorage.setItem(STORAGE_KEY, JSON.stringify([...positions].slice(-MAX_ENTRIES)));
  } catch {
    // Storage is full or blocked: lists start at the top.
  }
});

function readStoredPositions(): readonly [string, number][] {
  try {
    return JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? '[]');
  } catch {
    return [];
  }
}
