// Creates menus that load once the user points to their button, focuses or presses it. After a press, the menu opens as soon
// as it is loaded.
import {
  type ButtonHTMLAttributes,
  type ComponentType,
  createContext,
  type ReactNode,
  useState,
} from 'react';

/** Whether a menu opens as soon as it replaces its button. */
export const OpensImmediatelyContext = createContext(false);

type ButtonProps = Pick<
  ButtonHTMLAttributes<HTMLButtonElement>,
  'aria-haspopup' | 'disabled' | 'onBlur' | 'onFocus' | 'onKeyDown' | 'onPointerDown' | 'onPointerEnter'
>;

/**
 * `renderButton` renders the menu's button. The menu replaces the button once the menu is loaded and the button is pressed
 * or not focused, because replacing a focused button could lose keys.
 */
export function lazyMenu<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  renderButton: (props: Props, button: ButtonProps) => ReactNode,
): ComponentType<Props> {
  let LoadedMenu: ComponentType<Props> | undefined;
  let loading: Promise<void> | undefined;
  const loadOnce = (): Promise<void> => {
    loading ??= load()
      // If loading fails, the button stays.
      .catch((): ComponentType<Props> => props => renderButton(props, { disabled: true }))
      .then(component => {
        LoadedMenu = component;
      });
    return loading;
  };
  return props => {
    const [isLoaded, setLoaded] = useState(LoadedMenu !== undefined);
    const [isPressed, setPressed] = useState(false);
    const [hasFocus, setFocus] = useState(false);
    const start = (): void => void loadOnce().then(() => setLoaded(true));
    if (LoadedMenu !== undefined && isLoaded && (isPressed || !hasFocus))
      return (
        <OpensImmediatelyContext value={isPressed}>
          <LoadedMenu {...props} />
        </OpensImmediatelyContext>
      );
    return renderButton(props, {
      'aria-haspopup': 'menu',
      onPointerEnter: start,
      // Opens on the press, like the menu. On a click would be too late: the menu may replace the pressed button.
      onPointerDown: event => {
        if (event.button !== 0 || event.ctrlKey) return;
        // Otherwise the press moves the focus out of the menu, which closes it.
        event.preventDefault();
        start();
        setPressed(!isPressed);
      },
      onKeyDown: event => {
        const isToggle = event.key === 'Enter' || event.key === ' ';
        if (!isToggle && event.key !== 'ArrowDown') return;
        event.preventDefault();
        start();
        setPressed(!(isToggle && isPressed));
      },
      onFocus: () => {
        start();
        setFocus(true);
      },
      onBlur: () => setFocus(false),
    });
  };
}
