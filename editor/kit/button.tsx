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
  readonly variant?: 'primary' | 'plain' | 'quiet' | 'danger' | undefined;
  readonly size?: 'm' | 's' | undefined;
}

interface ContentProps {
  readonly icon?: Icon | undefined;
  readonly children?: ReactNode;
}

interface ButtonProps
  extends ButtonStyle,
    ContentProps,
    Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'className' | 'children'> {
  /** Shows a spinner and disables the button. */
  readonly isBusy?: boolean;
  readonly ref?: Ref<HTMLButtonElement>;
}

export function Button({ variant = 'plain', size, icon, isBusy = false, children, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      className={classNames(toClassName({ variant, size }), children === undefined && styles.square)}
      data-variant={variant}
      aria-busy={isBusy || undefined}
      disabled={isBusy || rest.disabled}
    >
      <Content icon={isBusy ? Spinner : icon}>{children}</Content>
    </button>
  );
}

interface IconButtonProps extends Omit<ButtonProps, 'children'> {
  readonly icon: Icon;
  /** Accessible name and tooltip. */
  readonly label: string;
}

/** Renders a button with only an icon. */
export function IconButton({ label, variant = 'quiet', ...rest }: IconButtonProps) {
  return (
    <Tooltip text={label}>
      <Button {...rest} variant={variant} aria-label={label} />
    </Tooltip>
  );
}

interface ButtonLinkProps extends ButtonStyle, ContentProps {
  readonly href: string;
}

/** Renders a link to another page of the application that looks like a button. */
export function ButtonLink({ href, variant, size, ...content }: ButtonLinkProps) {
  return (
    <Link href={href} className={toClassName({ variant, size })}>
      <Content {...content} />
    </Link>
  );
}

/** Renders a link to a page outside the application. The link looks like a button. */
export function ButtonAnchor({
  href,
  variant,
  size,
  opensNewTab,
  download,
  ...content
}: ButtonLinkProps & {
  readonly opensNewTab?: true;
  /** Saves the file under this name instead of opening it; empty: under its own name. */
  readonly download?: string;
}) {
  return (
    <a
      href={href}
      download={download}
      className={toClassName({ variant, size })}
      {...(opensNewTab && { target: '_blank', rel: 'noreferrer' })}
    >
      <Content {...content} />
    </a>
  );
}

const toClassName = ({ variant = 'plain', size = 'm' }: ButtonStyle): string =>
  classNames(styles.button, styles[variant], styles[size]);

const Content = ({ icon: IconComponent, children }: ContentProps) => (
  <>
    {IconComponent && <IconComponent />}
    {children}
  </>
);
