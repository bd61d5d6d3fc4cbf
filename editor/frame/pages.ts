// Lists the pages with their loaders.
import { ROUTES, type Route } from '../routes.ts';
import { type LazyPage, lazyPage } from './lazy-page.ts';

export const PAGES: readonly (Route & LazyPage)[] = ROUTES.map(route => ({ ...route, ...lazyPage(route) }));

/** Preloads the page at a path. Errors are shown when the page is opened. */
export async function preloadPage(pathname: string): Promise<void> {
  const page = PAGES.find(({ path }) => matchesPath(path, pathname));
  await page?.preload().catch(() => undefined);
}

function matchesPath(path: string, pathname: string): boolean {
  const parts = pathname.split('/');
  const pattern = path.split('/');
  return (
    parts.length === pattern.length &&
    pattern.every((part, index) => part.startsWith(':') || part === parts[index])
  );
}
