// Creates menus that load after the first paint. A button that is pressed or focused before that keeps the focus, and its
// menu opens once it is loaded.
import {
  type ButtonHTMLAttributes,
  type ComponentType,
  createContext,
  lazy,
  type ReactNode,
  Suspense,
  useState,
} from 'react';

/** What the user did with the button while its menu was loading. */
interface MenuStart {
  readonly isOpen: boolean;
  readonly hasFocus: boolean;
}

const NOT_STARTED: MenuStart = { isOpen: false, hasFocus: false };

export const MenuStartContext = createContext(NOT_STARTED);

type ButtonProps = Pick<
  ButtonHTMLAttributes<HTMLButtonElement>,
  'aria-haspopup' | 'disabled' | 'onBlur' | 'onFocus' | 'onKeyDown' | 'onPointerDown'
>;

/**
 * `renderButton` renders the menu's button until the menu is loaded. The caller must import the menu's style sheets,
 * because the HTML embeds only the style sheets of pages.
 */
export function lazyMenu<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  renderButton: (props: Props, button: ButtonProps) => ReactNode,
): ComponentType<Props> {
  const Menu = lazy(async () => ({
    // If loading fails, the button stays.
    default: await load().catch(
      (): ComponentType<Props> => props => <>{renderButton(props, { disabled: true })}</>,
    ),
  }));
  return props => (
    <MenuOrButton renderButton={button => renderButton(props, button)}>
      <Menu {...props} />
    </MenuOrButton>
  );
}

const OPENING_KEYS: ReadonlySet<string> = new Set(['Enter', ' ', 'ArrowDown']);

interface MenuOrButtonProps {
  readonly renderButton: (button: ButtonProps) => ReactNode;
  readonly children: ReactNode;
}

function MenuOrButton({ renderButton, children }: MenuOrButtonProps) {
  const [start, setStart] = useState(NOT_STARTED);
  const toggle = (): void => setStart(({ isOpen, ...other }) => ({ ...other, isOpen: !isOpen }));
  const button = renderButton({
    'aria-haspopup': 'menu',
    // Opens as the menu does: not on the click, because the menu may replace the button while it is pressed.
    onPointerDown: event => {
      if (event.button !== 0 || event.ctrlKey) return;
      // Otherwise the press moves the focus out of the menu, which closes it.
      event.preventDefault();
      toggle();
    },
    onKeyDown: event => {
      if (!OPENING_KEYS.has(event.key)) return;
      event.preventDefault();
      toggle();
    },
    onFocus: () => setStart(other => ({ ...other, hasFocus: true })),
    onBlur: () => setStart(other => ({ ...other, hasFocus: false })),
  });
  return (
    <MenuStartContext value={start}>
      <Suspense fallback={button}>{children}</Suspense>
    </MenuStartContext>
  );
}
