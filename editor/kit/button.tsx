// Renders buttons, and links that look like buttons.
import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react';
import { Link } from 'wouter';
import styles from './button.module.css';
import { classNames } from './class-names.ts';
import type { Icon } from './icon.ts';
import { Spinner } from './spinner.tsx';
import { Tooltip } from './tooltip.tsx';

interface ButtonStyle {
  /** Use one `primary` button per view, and `danger` for actions that cannot be undone. */
  readonly variant?: 'primary' | 'plain' | 'quiet' | 'danger';
  readonly size?: 'm' | 's';
  readonly icon?: Icon | undefined;
}

interface ButtonProps extends ButtonStyle, Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'className'> {
  /** Shows a spinner and disables the button. */
  readonly isBusy?: boolean;
  readonly ref?: Ref<HTMLButtonElement>;
}

export function Button({
  variant = 'plain',
  size = 'm',
  icon: IconComponent,
  isBusy = false,
  children,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      className={classNames(styles.button, styles[variant], styles[size])}
      data-variant={variant}
      aria-busy={isBusy || undefined}
      disabled={isBusy || rest.disabled}
    >
      {isBusy ? <Spinner /> : IconComponent && <IconComponent />}
      {children}
    </button>
  );
}

interface IconButtonProps extends ButtonProps {
  readonly icon: Icon;
  /** Accessible name and tooltip. */
  readonly label: string;
}

/** Renders a button with only an icon. */
export function IconButton({
  label,
  icon: IconComponent,
  variant = 'quiet',
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
        className={classNames(styles.button, styles.square, styles[variant], styles[size])}
        disabled={isBusy || rest.disabled}
      >
        {isBusy ? <Spinner /> : <IconComponent />}
      </button>
    </Tooltip>
  );
}

interface ButtonLinkProps extends ButtonStyle {
  readonly href: string;
  readonly children: ReactNode;
}

/** Renders a link to another page of the application that looks like a button. */
export function ButtonLink({
  href,
  variant = 'plain',
  size = 'm',
  icon: IconComponent,
  children,
}: ButtonLinkProps) {
  return (
    <Link href={href} className={classNames(styles.button, styles[variant], styles[size])}>
      {IconComponent && <IconComponent />}
      {children}
    </Link>
  );
}

/** Renders a link to an address outside the application that looks like a button. */
export function ButtonAnchor({
  href,
  variant = 'plain',
  size = 'm',
  icon: IconComponent,
  opensTab,
  children,
}: ButtonLinkProps & { readonly opensTab?: true }) {
  return (
    <a
      href={href}
      className={classNames(styles.button, styles[variant], styles[size])}
      {...(opensTab && { target: '_blank', rel: 'noreferrer' })}
    >
      {IconComponent && <IconComponent />}
      {children}
    </a>
  );
}
