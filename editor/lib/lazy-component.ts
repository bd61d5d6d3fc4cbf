// Loads components after the first paint, such as menus.
import { type ComponentType, createElement, lazy, type ReactNode, Suspense } from 'react';

/**
 * Shows `fallback` until the component is loaded. The caller must import its style sheets, because the service embeds
 * only those of pages in the HTML.
 */
export function lazyComponent<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  fallback: (props: Props) => ReactNode,
): ComponentType<Props> {
  // If loading fails, the fallback stays.
  const Loaded = lazy(async () => ({ default: await load().catch(() => fallback as ComponentType<Props>) }));
  return props => createElement(Suspense, { fallback: fallback(props) }, createElement(Loaded, props));
}
