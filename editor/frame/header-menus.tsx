// Renders the menus of the header, which load when users point to their buttons: account, and navigation on narrow screens.

import BookOpen from 'icon:book-open';
import ListChecks from 'icon:list-checks';
import LogOut from 'icon:log-out';
import MenuIcon from 'icon:menu';
import { IconButton } from '../kit/button.tsx';
import { showError } from '../kit/failure.tsx';
import { Menu, MenuItem, MenuLink, MenuRadioGroup, MenuSeparator, MenuText } from '../kit/menu.tsx';
import { reopenFirstSteps } from '../lib/first-steps.ts';
import { useSession, useSignOut } from '../lib/session.ts';
import { setTheme, useTheme } from '../lib/theme.ts';
import { messages } from '../messages.ts';
import styles from './account-menu.module.css';
import { AccountMenuButton } from './account-menu-button.tsx';
import type { NavRoute } from './header.tsx';

const { system, light, dark } = messages.theme;

export function AccountMenu() {
  return (
    <Menu trigger={<AccountMenuButton />}>
      <AccountItems />
    </Menu>
  );
}

export function AccountItems() {
  const { user } = useSession();
  const theme = useTheme(state => state.theme);
  const signOut = useSignOut();
  return (
    <>
      <MenuText>
        <strong className={styles.name}>{user.name}</strong>
        {user.email}
      </MenuText>
      <MenuSeparator />
      <MenuRadioGroup
        label={messages.theme.label}
        value={theme}
        options={{ system, light, dark }}
        onChoose={setTheme}
      />
      <MenuSeparator />
      <MenuItem icon={ListChecks} onSelect={reopenFirstSteps}>
        {messages.firstSteps.title}
      </MenuItem>
      <MenuItem icon={BookOpen} onSelect={() => location.assign('/docs')}>
        {messages.account.docs}
      </MenuItem>
      <MenuItem icon={LogOut} onSelect={() => void signOut().catch(showError)}>
        {messages.account.signOut}
      </MenuItem>
    </>
  );
}

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
