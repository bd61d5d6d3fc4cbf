// An icon as a component. It is decoration: whoever shows one without words gives the button a label.
import { createElement, type ReactElement } from 'react';

export interface IconProps {
  /** In pixels; by default as the text around it. */
  readonly size?: number | string;
  readonly className?: string | undefined;
}

export type Icon = (props: IconProps) => ReactElement;

/** Called by the bundler with the drawing of an icon. */
export function drawIcon(body: string): Icon {
  return ({ size = '1.125em', className }) =>
    createElement('svg', {
      width: size,
      height: size,
      viewBox: '0 0 24 24',
      'aria-hidden': true,
      focusable: false,
      className,
      // The bundler's own text, from the icon set.
      dangerouslySetInnerHTML: { __html: body },
    });
}
