// A page that is loaded when it is opened, its styles with it, or before that.
import { type ComponentType, lazy } from 'react';
import { readFirstData } from '../lib/first-data.ts';
import type { Route } from '../routes.ts';

export interface LazyPage {
  /** The page itself where it is loaded, else what loads it; to be kept as long as the page is open. */
  readonly component: () => ComponentType;
  /** Loads it ahead of its opening: then it is shown at once, where a spinner would stay for a third of a second. */
  readonly preload: () => Promise<unknown>;
}

/** Page → addresses of its styles, as the service wrote them into the HTML. */
const STYLES = readFirstData<Readonly<Record<string, readonly string[]>>>('page-styles') ?? {};

export function lazyPage({ name, load }: Route): LazyPage {
  let loaded: ComponentType | undefined;
  const loadAll = async (): Promise<{ readonly default: ComponentType }> => {
    const [{ Page }] = await Promise.all([load(), ...(STYLES[name] ?? []).map(loadStyle)]);
    loaded = Page;
    return { default: Page };
  };
  const Later = lazy(loadAll);
  return { component: () => loaded ?? Later, preload: loadAll };
}

/** Resolves when it applies, so that no page is seen without. */
function loadStyle(href: string): Promise<void> {
  if (document.querySelector(`link[rel=stylesheet][href="${CSS.escape(href)}"]`) !== null)
    return Promise.resolve();
  return new Promise((resolve, reject) => {
    const link = document.createElement('link');
    link.rel = 'stylesheet';
    link.href = href;
    link.onload = () => resolve();
    link.onerror = () => {
      link.remove();
      reject(new TypeError(`${href} could not be loaded.`));
    };
    document.head.append(link);
  });
}
