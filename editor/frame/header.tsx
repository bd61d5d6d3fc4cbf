// Renders the header for signed-in users: navigation, credits, account.

import Coins from 'icon:coins';
import Mail from 'icon:mail';
import MenuIcon from 'icon:menu';
import { Link, useLocation } from 'wouter';
import { IconButton } from '../kit/button.tsx';
import { lazyMenu } from '../kit/lazy-menu.tsx';
import { Tooltip } from '../kit/tooltip.tsx';
import { VisuallyHidden } from '../kit/visually-hidden.tsx';
import { formatCompact, formatNumber } from '../lib/format.ts';
import { lazyComponent } from '../lib/lazy-component.ts';
import { useSession } from '../lib/session.ts';
import { messages } from '../messages.ts';
import { ROUTES, type Route } from '../routes.ts';
import { AccountMenuButton } from './account-menu-button.tsx';
import { Bell } from './bell.tsx';
import styles from './header.module.css';
import { Logo } from './logo.tsx';
import { preloadPage } from './pages.ts';

export type NavRoute = Route & { readonly nav: NonNullable<Route['nav']> };
export const NAV = ROUTES.filter((route): route is NavRoute => route.nav !== undefined);

const AccountMenu = lazyMenu<object>(
  async () => (await import('./header-menus.tsx')).AccountMenu,
  (_, button) => <AccountMenuButton {...button} />,
);
const NavigationMenu = lazyMenu<{ readonly routes: readonly NavRoute[] }>(
  async () => (await import('./header-menus.tsx')).NavigationMenu,
  (_, button) => <IconButton icon={MenuIcon} label={messages.nav.open} {...button} />,
);

/** Links to the approvals that wait. Loads after the first paint. */
const ApprovalsLink = lazyComponent(async () => (await import('./approvals-link.tsx')).ApprovalsLink);

export function Header() {
  return (
    <header className={styles.header}>
      <Link href="/workflows" className={styles.brand}>
        <Logo />
        <span className={styles.name}>{messages.product}</span>
      </Link>
      <nav className={styles.nav} aria-label={messages.nav.label}>
        <ul>
          {NAV.map(route => (
            <li key={route.path}>
              <NavLink route={route} />
            </li>
          ))}
        </ul>
      </nav>
      <Invitations />
      <ApprovalsLink />
      <Bell />
      <Credits />
      <AccountMenu />
      <div className={styles.small}>
        <NavigationMenu routes={NAV} />
      </div>
    </header>
  );
}

function NavLink({ route: { path, nav } }: { readonly route: NavRoute }) {
  const [location] = useLocation();
  const isCurrent = [path, nav.relatedPath].some(
    prefix => location === prefix || location.startsWith(`${prefix}/`),
  );
  return (
    <Link
      href={path}
      className={styles.link}
      aria-current={isCurrent ? 'page' : undefined}
      onPointerEnter={() => void preloadPage(path)}
      onFocus={() => void preloadPage(path)}
    >
      {nav.label}
    </Link>
  );
}

/** Links to pending invitations. Renders nothing if there are none. */
function Invitations() {
  const { invitations } = useSession();
  if (invitations === 0) return null;
  const unit = messages.account.invitationsUnit(invitations);
  return (
    <Tooltip text={`${invitations}${unit}`}>
      <Link href="/settings/teams" className={styles.invitations}>
        <Mail />
        {invitations}
        <VisuallyHidden>{unit}</VisuallyHidden>
      </Link>
    </Tooltip>
  );
}

function Credits() {
  const { balance, held } = useSession().credits;
  const exact = messages.account.credits(formatNumber(balance));
  const text = held > 0 ? `${exact}. ${messages.account.reserved(formatNumber(held))}.` : exact;
  return (
    <Tooltip text={text}>
      <Link href="/settings/credits" className={styles.credits}>
        <Coins />
        {formatCompact(balance)}
        <VisuallyHidden>{messages.account.creditsUnit}</VisuallyHidden>
      </Link>
    </Tooltip>
  );
}
