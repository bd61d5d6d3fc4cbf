// A page that is loaded when it is opened, its styles with it.
import { type ComponentType, type LazyExoticComponent, lazy } from 'react';
import type { Route } from '../routes.ts';

/** Page → addresses of its styles, as the service wrote them into the HTML. */
const STYLES = JSON.parse(document.getElementById('page-styles')?.textContent ?? '{}') as Readonly<
  Record<string, readonly string[]>
>;

export function lazyPage({ name, load }: Route): LazyExoticComponent<ComponentType> {
  return lazy(async () => {
    const [{ Page }] = await Promise.all([load(), ...(STYLES[name] ?? []).map(loadStyle)]);
    return { default: Page };
  });
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
    link.onerror = () => reject(new TypeError(`${href} could not be loaded.`));
    document.head.append(link);
  });
}
