// Detects that the service was updated while this page was open: its pages then reference another entry script.

const ENTRY = /<script type="module" src="([^"]+)">/;

/** Returns false if it cannot tell, for example while the service starts. */
export async function isOutdated(signal: AbortSignal): Promise<boolean> {
  const mine = document.querySelector<HTMLScriptElement>('script[type="module"][src]')?.getAttribute('src');
  try {
    const answer = await fetch(location.pathname, { headers: { accept: 'text/html' }, signal });
    const entry = answer.ok ? ENTRY.exec(await answer.text())?.[1] : undefined;
    return entry !== undefined && mine !== undefined && entry !== mine;
  } catch {
    return false;
  }
}
