// Whether the service was updated while this page was open: its pages then name another entry script than this one has.

const ENTRY = /<script type="module" src="([^"]+)">/;

/** False where it is not known, as while the service starts. */
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
