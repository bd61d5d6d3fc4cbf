// Renders the navigation as a menu on narrow screens.

import MenuIcon from 'icon:menu';
import { IconButton } from '../kit/button.tsx';
import { Menu, MenuLink } from '../kit/menu.tsx';
import { messages } from '../messages.ts';
import type { NavRoute } from './header.tsx';

export function NavigationMenu({ routes }: { readonly routes: readonly NavRoute[] }) {
  return (
    <Menu trigger={<IconButton icon={MenuIcon} label={messages.nav.open} />}>
      {routes.map(({ path, nav }) => (
        <MenuLink key={path} href={path} icon={nav.icon}>
          {nav.label}
        </MenuLink>
      ))}
    </Menu>
  );
}
