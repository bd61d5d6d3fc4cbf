// Renders a dropdown menu.
import * as DropdownMenu from 'radix-ui/dropdown-menu';
import { type ReactElement, type ReactNode, useContext } from 'react';
import { Link } from 'wouter';
import { classNames } from './class-names.ts';
import type { Icon } from './icon.ts';
import { OpensImmediatelyContext } from './lazy-menu.tsx';
import styles from './menu.module.css';

interface MenuProps {
  /** The button that opens the menu. */
  readonly trigger: ReactElement;
  readonly align?: 'start' | 'end';
  /** The element to render the menu in, so that it belongs to a landmark. Default: the body. */
  readonly container?: HTMLElement | null;
  /** MenuItem, MenuRadioGroup, MenuText, MenuSeparator. */
  readonly children: ReactNode;
}

export function Menu({ trigger, align = 'end', container = null, children }: MenuProps) {
  const opensImmediately = useContext(OpensImmediatelyContext);
  return (
    // Not modal, because locking the scroll position would need an inline style, which the security policy forbids.
    <DropdownMenu.Root modal={false} defaultOpen={opensImmediately}>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal container={container}>
        <DropdownMenu.Content className={styles.menu} align={align} sideOffset={6} collisionPadding={8}>
          {children}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

interface MenuAtProps {
  readonly label: string;
  /** Where the menu is open, in window pixels. Undefined if it is closed. */
  readonly position: { readonly x: number; readonly y: number } | undefined;
  readonly onClose: () => void;
  readonly onEscape: () => void;
  readonly children: ReactNode;
}

/** Renders a context menu. It stays mounted while it is closed, so that it knows whether a key opens it. */
export function MenuAt({ label, position, onClose, onEscape, children }: MenuAtProps) {
  return (
    <DropdownMenu.Root
      modal={false}
      open={position !== undefined}
      onOpenChange={isOpen => {
        if (!isOpen) onClose();
      }}
    >
      <DropdownMenu.Trigger asChild>
        <span
          className={styles.anchor}
          style={position === undefined ? {} : { left: position.x, top: position.y }}
          aria-hidden
        />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal container={document.getElementById('main')}>
        <DropdownMenu.Content
          className={styles.menu}
          align="start"
          // The pointer must not be on an item when its button is released.
          sideOffset={2}
          collisionPadding={8}
          aria-label={label}
          aria-labelledby={undefined}
          onEscapeKeyDown={onEscape}
          // The end of a long press focuses what is below the finger.
          onFocusOutside={event => event.preventDefault()}
          onCloseAutoFocus={event => event.preventDefault()}
        >
          {children}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

interface MenuItemProps {
  readonly icon?: Icon;
  readonly onSelect: () => void;
  readonly isDangerous?: boolean;
  readonly isDisabled?: boolean;
  readonly children: ReactNode;
}

export function MenuItem({
  icon: IconComponent,
  onSelect,
  isDangerous = false,
  isDisabled = false,
  children,
}: MenuItemProps) {
  return (
    <DropdownMenu.Item
      className={classNames(styles.item, isDangerous && styles.danger)}
      onSelect={onSelect}
      disabled={isDisabled}
    >
      {IconComponent && <IconComponent className={styles.icon} />}
      {children}
    </DropdownMenu.Item>
  );
}

interface MenuRadioGroupProps<T extends string> {
  readonly label: string;
  readonly value: T;
  readonly options: Readonly<Record<T, string>>;
  readonly onChoose: (value: T) => void;
}

/** Renders a group of radio items. */
export function MenuRadioGroup<T extends string>({
  label,
  value,
  options,
  onChoose,
}: MenuRadioGroupProps<T>) {
  return (
    <DropdownMenu.RadioGroup value={value} onValueChange={next => onChoose(next as T)} aria-label={label}>
      <DropdownMenu.Label className={styles.label}>{label}</DropdownMenu.Label>
      {Object.entries<string>(options).map(([key, text]) => (
        <DropdownMenu.RadioItem key={key} value={key} className={styles.item}>
          <span className={styles.mark}>
            <DropdownMenu.ItemIndicator className={styles.dot} />
          </span>
          {text}
        </DropdownMenu.RadioItem>
      ))}
    </DropdownMenu.RadioGroup>
  );
}

export function MenuText({ children }: { readonly children: ReactNode }) {
  return <DropdownMenu.Label className={styles.text}>{children}</DropdownMenu.Label>;
}

export function MenuSeparator() {
  return <DropdownMenu.Separator className={styles.line} />;
}

/** Renders an item that links to another page of the application. */
export function MenuLink({
  href,
  icon: IconComponent,
  onSelect,
  children,
}: {
  readonly href: string;
  readonly icon?: Icon;
  /** Called before the page opens. */
  readonly onSelect?: () => void;
  readonly children: ReactNode;
}) {
  return (
    <DropdownMenu.Item asChild {...(onSelect && { onSelect })}>
      <Link href={href} className={styles.item}>
        {IconComponent && <IconComponent className={styles.icon} />}
        {children}
      </Link>
    </DropdownMenu.Item>
  );
}
