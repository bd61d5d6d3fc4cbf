// What the service wrote into the page, so that the page need not ask for it first.

/** The JSON in the element of that id; undefined where there is none. */
export function readFirstData<T>(id: string): T | undefined {
  const text = document.getElementById(id)?.textContent;
  return text === undefined || text === null ? undefined : (JSON.parse(text) as T);
}
