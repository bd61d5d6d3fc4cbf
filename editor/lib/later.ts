// Components that are loaded after what is seen first: menus, which nobody opens in the first moment.
import { type ComponentType, createElement, lazy, type ReactNode, Suspense } from 'react';

/**
 * Shows `fallback` until the component is there. Its style sheets have to be imported by whoever shows it: the service
 * writes those of a page alone into the HTML.
 */
export function later<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  fallback: (props: Props) => ReactNode,
): ComponentType<Props> {
  // Where it cannot be loaded the fallback stays, and the page with it.
  const Loaded = lazy(async () => ({ default: await load().catch(() => fallback as ComponentType<Props>) }));
  return props => createElement(Suspense, { fallback: fallback(props) }, createElement(Loaded, props));
}
