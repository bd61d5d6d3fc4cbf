// Detects that the service was updated while this page was open. Compares the entry script that its pages reference.

const ENTRY = /<script type="module" src="([^"]+)">/;

/** Whether this page is out of date. Returns false if that is unknown, for example while the service starts. */
export async function isOutdated(signal: AbortSignal): Promise<boolean> {
  const current = document
    .querySelector<HTMLScriptElement>('script[type="module"][src]')
    ?.getAttribute('src');
  try {
    const response = await fetch(location.pathname, { headers: { accept: 'text/html' }, signal });
    const entry = response.ok ? ENTRY.exec(await response.text())?.[1] : undefined;
    return entry !== undefined && current !== undefined && entry !== current;
  } catch {
    return false;
  }
}
