// A word on what a control does, on hover and on focus. The control needs a name of its own: this is not read aloud.
import * as Radix from 'radix-ui/tooltip';
import type { ReactElement } from 'react';
import styles from './tooltip.module.css';

interface TooltipProps {
  readonly text: string;
  /** One element that takes focus. */
  readonly children: ReactElement;
}

export function Tooltip({ text, children }: TooltipProps) {
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content className={styles.tooltip} sideOffset={6} collisionPadding={8}>
          {text}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
