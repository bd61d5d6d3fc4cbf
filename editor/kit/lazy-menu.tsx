// Creates menus that load after the first paint. A button that is pressed before that opens its menu once it is loaded.
import {
  type ButtonHTMLAttributes,
  type ComponentType,
  createContext,
  type ReactNode,
  useEffect,
  useState,
} from 'react';

/** Whether a menu opens as soon as it replaces its button. */
export const OpensAtOnceContext = createContext(false);

type ButtonProps = Pick<
  ButtonHTMLAttributes<HTMLButtonElement>,
  'aria-haspopup' | 'disabled' | 'onBlur' | 'onFocus' | 'onKeyDown' | 'onPointerDown'
>;

/**
 * `renderButton` renders the menu's button until the menu replaces it: when the menu is loaded, and the button is pressed
 * or has no focus. Replacing a focused button could lose keys. The caller must import the menu's style sheets, because
 * the HTML embeds only the style sheets of pages.
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
    useEffect(() => {
      void loadOnce().then(() => setLoaded(true));
    }, []);
    if (LoadedMenu !== undefined && isLoaded && (isPressed || !hasFocus))
      return (
        <OpensAtOnceContext value={isPressed}>
          <LoadedMenu {...props} />
        </OpensAtOnceContext>
      );
    return renderButton(props, {
      'aria-haspopup': 'menu',
      // Opens as the menu does: not on the click, because the menu may replace the button while it is pressed.
      onPointerDown: event => {
        if (event.button !== 0 || event.ctrlKey) return;
        // Otherwise the press moves the focus out of the menu, which closes it.
        event.preventDefault();
        setPressed(!isPressed);
      },
      onKeyDown: event => {
        const isToggle = event.key === 'Enter' || event.key === ' ';
        if (!isToggle && event.key !== 'ArrowDown') return;
        event.preventDefault();
        setPressed(!(isToggle && isPressed));
      },
      onFocus: () => setFocus(true),
      onBlur: () => setFocus(false),
    });
  };
}
