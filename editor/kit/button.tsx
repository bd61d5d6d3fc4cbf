// Buttons, and links that look like them.
import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react';
import { Link } from 'wouter';
import styles from './button.module.css';
import { classNames } from './class-names.ts';
import type { Icon } from './icon.ts';
import { Spinner } from './spinner.tsx';
import { Tooltip } from './tooltip.tsx';

interface Look {
  /** One `primary` a view; `danger` for what cannot be undone. */
  readonly look?: 'primary' | 'plain' | 'quiet' | 'danger';
  readonly size?: 'm' | 's';
  readonly icon?: Icon | undefined;
}

interface ButtonProps extends Look, Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'className'> {
  /** Shows that its work is under way; it cannot be pressed meanwhile. */
  readonly isBusy?: boolean;
  readonly ref?: Ref<HTMLButtonElement>;
}

export function Button({
  look = 'plain',
  size = 'm',
  icon: IconOf,
  isBusy = false,
  children,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      className={classNames(styles.button, styles[look], styles[size])}
      aria-busy={isBusy || undefined}
      disabled={isBusy || rest.disabled}
    >
      {isBusy ? <Spinner /> : IconOf && <IconOf />}
      {children}
    </button>
  );
}

interface IconButtonProps extends ButtonProps {
  readonly icon: Icon;
  /** What it does: its name, and the tooltip. */
  readonly label: string;
}

/** A button that shows an icon alone. */
export function IconButton({
  label,
  icon: IconOf,
  look = 'quiet',
  size = 'm',
  isBusy,
  ...rest
}: IconButtonProps) {
  return (
    <Tooltip text={label}>
      <button
        type="button"
        {...rest}
        aria-label={label}
        className={classNames(styles.button, styles.square, styles[look], styles[size])}
        disabled={isBusy || rest.disabled}
      >
        {isBusy ? <Spinner /> : <IconOf />}
      </button>
    </Tooltip>
  );
}

interface ButtonLinkProps extends Look {
  readonly href: string;
  readonly children: ReactNode;
}

/** Leads to another page of the application. */
export function ButtonLink({ href, look = 'plain', size = 'm', icon: IconOf, children }: ButtonLinkProps) {
  return (
    <Link href={href} className={classNames(styles.button, styles[look], styles[size])}>
      {IconOf && <IconOf />}
      {children}
    </Link>
  );
}

/** Leads to an address that is no page of the application. */
export function ButtonAnchor({ href, look = 'plain', size = 'm', icon: IconOf, children }: ButtonLinkProps) {
  return (
    <a href={href} className={classNames(styles.button, styles[look], styles[size])}>
      {IconOf && <IconOf />}
      {children}
    </a>
  );
}
