// Reads data that the service embedded in the page to save the first request.

/** Parses the JSON in the element with the id, or returns undefined. */
export function readEmbeddedData<T>(id: string): T | undefined {
  const text = document.getElementById(id)?.textContent;
  return text === undefined || text === null ? undefined : (JSON.parse(text) as T);
}
