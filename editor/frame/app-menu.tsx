// Renders the application's navigation, credits and account as one menu, for pages that fill the window.

import { Menu, MenuLink, MenuSeparator, MenuText } from '../kit/menu.tsx';
import { formatNumber } from '../lib/format.ts';
import { useSession } from '../lib/session.ts';
import { messages } from '../messages.ts';
import { AppMenuButton } from './app-menu-button.tsx';
import { NAV } from './header.tsx';
import { AccountItems } from './header-menus.tsx';

export function AppMenu() {
  const { credits, invitations } = useSession();
  return (
    <Menu align="start" trigger={<AppMenuButton />}>
      {NAV.map(({ path, nav }) => (
        <MenuLink key={path} href={path} icon={nav.icon}>
          {nav.label}
        </MenuLink>
      ))}
      {invitations > 0 && (
        <MenuLink href="/settings/teams">
          {invitations}
          {messages.account.invitationsUnit(invitations)}
        </MenuLink>
      )}
      <MenuSeparator />
      <MenuText>{messages.account.credits(formatNumber(credits.balance))}</MenuText>
      <AccountItems />
    </Menu>
  );
}
