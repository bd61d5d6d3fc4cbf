// Renders the menu of the bell with the newest notices.
import BellIcon from 'icon:bell';
import CheckCheck from 'icon:check-check';
import { useQueryClient } from '@tanstack/react-query';
import type { Notice } from '../../sdk/src/schemas.ts';
import { IconButton } from '../kit/button.tsx';
import { showError, toErrorMessage } from '../kit/failure.tsx';
import { Menu, MenuItem, MenuLink, MenuSeparator, MenuText } from '../kit/menu.tsx';
import { RelativeTime } from '../kit/time.tsx';
import { markNoticesAsRead, useNotices } from '../lib/notices.ts';
import { messages } from '../messages.ts';
import styles from './bell.module.css';
import type { BellMenuProps } from './bell.tsx';

export function BellMenu({ unread, container }: BellMenuProps) {
  return (
    <Menu
      container={container}
      trigger={<IconButton icon={BellIcon} label={messages.notices.open(unread)} />}
    >
      <NoticeItems unread={unread} />
    </Menu>
  );
}

function NoticeItems({ unread }: { readonly unread: number }) {
  const client = useQueryClient();
  const { data, error } = useNotices();
  const markAsRead = (notices: Parameters<typeof markNoticesAsRead>[1]): void =>
    void markNoticesAsRead(client, notices).catch(showError);
  if (data === undefined)
    return <MenuText>{error === null ? messages.common.loading : toErrorMessage(error)}</MenuText>;
  if (data.data.length === 0) return <MenuText>{messages.notices.empty}</MenuText>;
  return (
    <>
      {unread > 0 && (
        <>
          <MenuItem icon={CheckCheck} onSelect={() => markAsRead({ all: true })}>
            {messages.notices.readAll}
          </MenuItem>
          <MenuSeparator />
        </>
      )}
      {data.data.map(notice => {
        const markThisAsRead = (): void => {
          if (notice.readAt === null) markAsRead({ ids: [notice.id] });
        };
        return notice.link === null ? (
          <MenuItem key={notice.id} onSelect={markThisAsRead}>
            <NoticeText notice={notice} />
          </MenuItem>
        ) : (
          <MenuLink key={notice.id} href={notice.link} onSelect={markThisAsRead}>
            <NoticeText notice={notice} />
          </MenuLink>
        );
      })}
    </>
  );
}

function NoticeText({ notice: { title, text, createdAt, readAt } }: { readonly notice: Notice }) {
  return (
    <span className={styles.notice} data-unread={readAt === null || undefined}>
      <strong>{title}</strong>
      <span>{text}</span>
      <span className={styles.time}>
        <RelativeTime time={createdAt} />
        {readAt === null && <span className={styles.unread}>{messages.notices.unread}</span>}
      </span>
    </span>
  );
}
