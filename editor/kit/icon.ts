// Creates icon components. Icons are decoration: a button with only an icon needs a label.
import { createElement, type ReactElement } from 'react';

export interface IconProps {
  /** In pixels; default: the size of the surrounding text. */
  readonly size?: number | string;
  readonly className?: string | undefined;
}

export type Icon = (props: IconProps) => ReactElement;

/** Creates an icon component from SVG content. The bundler calls it for each imported icon. */
export function createIcon(body: string): Icon {
  return ({ size = '1.125em', className }) =>
    createElement('svg', {
      width: size,
      height: size,
      viewBox: '0 0 24 24',
      'aria-hidden': true,
      focusable: false,
      className,
      // The bundler inserts this text from the icon set.
      dangerouslySetInnerHTML: { __html: body },
    });
}
