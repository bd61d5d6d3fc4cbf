// Renders a banner that asks the user to reload the page after an update of the service. The draft keeps the board and
// its history.
import { useEffect, useState } from 'react';
import { messages } from '../../../flow-messages.ts';
import { Banner } from '../../../kit/banner.tsx';
import { Button } from '../../../kit/button.tsx';
import { useEditor } from '../../../session/editor-context.tsx';
import { bannerMessages } from './messages.ts';

/** After an update, the service is unavailable for a moment and then bundles the application for some seconds. */
const CHECK_DELAYS_MS = [0, 3000, 6000, 15_000, 30_000];

export function OutdatedBanner() {
  const { session } = useEditor();
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    const controller = new AbortController();
    let timers: ReturnType<typeof setTimeout>[] = [];
    const check = (): void => void isOutdated(controller.signal).then(result => result && setShown(true));
    const unsubscribe = session.onReconnect(() => {
      for (const timer of timers) clearTimeout(timer);
      timers = CHECK_DELAYS_MS.map(ms => setTimeout(check, ms));
    });
    return () => {
      controller.abort();
      unsubscribe();
      for (const timer of timers) clearTimeout(timer);
    };
  }, [session]);
  if (!isShown) return null;
  return (
    <Banner
      label={bannerMessages.outdated.title}
      actions={
        <Button size="s" variant="primary" onClick={() => location.reload()}>
          {messages.common.reload}
        </Button>
      }
    >
      <p role="alert">{bannerMessages.outdated.text}</p>
    </Banner>
  );
}

const ENTRY = /<script type="module" src="([^"]+)">/;

/** Returns whether this page is known to be out of date. Returns false while the service starts. */
export async function isOutdated(signal: AbortSignal): Promise<boolean> {
  const loadedEntry = document
    .querySelector<HTMLScriptElement>('script[type="module"][src]')
    ?.getAttribute('src');
  try {
    const response = await fetch(location.pathname, { headers: { accept: 'text/html' }, signal });
    const servedEntry = response.ok ? ENTRY.exec(await response.text())?.[1] : undefined;
    return servedEntry !== undefined && loadedEntry !== undefined && servedEntry !== loadedEntry;
  } catch {
    return false;
  }
}
