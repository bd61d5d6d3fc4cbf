// Creates components that load when they are first shown, such as rare dialogs.
import { type ComponentType, createElement, lazy, type ReactNode, Suspense } from 'react';

/** Creates a component that shows `fallback`, or nothing, until the component is loaded. */
export function lazyComponent<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  fallback: (props: Props) => ReactNode = () => null,
): ComponentType<Props> {
  // If loading fails, the fallback stays.
  const LazyComponent = lazy(async () => ({
    default: await load().catch(() => fallback as ComponentType<Props>),
  }));
  return props => createElement(Suspense, { fallback: fallback(props) }, createElement(LazyComponent, props));
}
