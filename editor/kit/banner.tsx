// Renders a banner: a message about the page that stays until its cause is gone. Toasts go away by themselves, and
// notices are in the menu of the bell.
import type { HTMLAttributes, ReactNode } from 'react';
import styles from './banner.module.css';
import type { Icon } from './icon.ts';

interface BannerProps extends Omit<HTMLAttributes<HTMLElement>, 'className'> {
  /** `panel`: a line in a panel. `card`: a block above the content of a page. `top`: a line above the page. */
  readonly kind?: 'panel' | 'card' | 'top';
  /** Makes the banner a region with this name. */
  readonly label?: string;
  readonly tone?: 'warning' | 'danger' | undefined;
  readonly icon?: Icon;
  /** Buttons at the end of the line, the primary one last. */
  readonly actions?: ReactNode;
  /** What is below the line. */
  readonly details?: ReactNode;
}

export function Banner({
  kind = 'panel',
  label,
  tone,
  icon: IconComponent,
  actions,
  details,
  children,
  ...rest
}: BannerProps) {
  return (
    <section {...rest} className={styles[kind]} aria-label={label} data-banner={kind} data-tone={tone}>
      {children !== undefined && (
        <BannerLine actions={actions}>
          {IconComponent && <IconComponent />}
          {children}
        </BannerLine>
      )}
      {details}
    </section>
  );
}

/** Renders a line of a banner that has several. */
export function BannerLine({ actions, children }: Pick<BannerProps, 'actions' | 'children'>) {
  return (
    <div className={styles.line}>
      {children}
      {actions && <span className={styles.actions}>{actions}</span>}
    </div>
  );
}
