// Lists the pages with their components, which load on demand or in advance.
import { type ComponentType, lazy } from 'react';
import { ROUTES, type Route } from '../routes.ts';

export const PAGES: readonly (Route & LazyPage)[] = ROUTES.map(route => ({
  ...route,
  ...createLazyPage(route),
}));

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

export interface LazyPage {
  /** Returns the page if it is loaded, otherwise a lazy component. Keep the result while the page is open. */
  readonly getComponent: () => ComponentType;
  /** Preloads a page, so that it opens without a spinner. */
  readonly preload: () => Promise<unknown>;
}

function createLazyPage({ load }: Route): LazyPage {
  let loadedPage: ComponentType | undefined;
  const loadPage = async (): Promise<{ readonly default: ComponentType }> => {
    const { Page } = await load();
    loadedPage = Page;
    return { default: Page };
  };
  const LazyPageComponent = lazy(loadPage);
  return { getComponent: () => loadedPage ?? LazyPageComponent, preload: loadPage };
}
