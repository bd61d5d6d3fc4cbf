// Where lists were left, by the entry of the browser's history, so that a new visit begins at the top. They outlive the page,
// since the editor is one of its own.

const NAME = 'scroll-places';
const MAX_KEPT = 50;

const places = new Map<string, number>(readKept());

export const findPlace = (key: string): number => places.get(key) ?? 0;

export function keepPlace(key: string, top: number): void {
  // Again at the end: the oldest is the first.
  places.delete(key);
  places.set(key, top);
}

window.addEventListener('pagehide', () => {
  try {
    sessionStorage.setItem(NAME, JSON.stringify([...places].slice(-MAX_KEPT)));
  } catch {
    // Full, or refused by the browser: then lists begin at the top.
  }
});

function readKept(): readonly [string, number][] {
  try {
    return JSON.parse(sessionStorage.getItem(NAME) ?? '[]');
  } catch {
    return [];
  }
}
