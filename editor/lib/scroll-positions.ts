// Stores scroll positions of lists per history entry. Uses session storage, because the editor is a separate page load.

const NAME = 'scroll-places';
const MAX_KEPT = 50;

const places = new Map<string, number>(readKept());

export const findScrollPosition = (key: string): number => places.get(key) ?? 0;

export function saveScrollPosition(key: string, top: number): void {
  // Moves the entry to the end, so that the oldest comes first.
  places.delete(key);
  places.set(key, top);
}

window.addEventListener('pagehide', () => {
  try {
    sessionStorage.setItem(NAME, JSON.stringify([...places].slice(-MAX_KEPT)));
  } catch {
    // Storage is full or blocked: lists start at the top.
  }
});

function readKept(): readonly [string, number][] {
  try {
    return JSON.parse(sessionStorage.getItem(NAME) ?? '[]');
  } catch {
    return [];
  }
}
