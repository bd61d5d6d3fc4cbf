// Reads and changes how a user receives notices.
import { createFieldError } from '../../lib/errors.ts';
import {
  findNoticeSettings,
  NOTICE_KINDS,
  NOTICES,
  type NoticeDelivery,
  type NoticeKind,
  updateNoticeSettings,
} from '../../store/notices.ts';
import { type Actor, requireUser } from '../accounts/actor.ts';
import type { Deps } from '../deps.ts';
import type { NoticeSettingsBody } from './notice.schema.ts';

/** Returns how the caller receives notices of each kind. */
export async function readNoticeSettings(
  { db }: Pick<Deps, 'db'>,
  actor: Actor,
): Promise<Readonly<Record<NoticeKind, NoticeDelivery>>> {
  const chosen = await findNoticeSettings(db, requireUser(actor).userId);
  const entries = NOTICE_KINDS.map(kind => [kind, chosen[kind] ?? NOTICES[kind].delivery]);
  return Object.fromEntries(entries);
}

/** Replaces the settings; kinds that are absent get their defaults. Throws 400 if mails about security would end. */
export async function replaceNoticeSettings(
  deps: Pick<Deps, 'db'>,
  actor: Actor,
  settings: NoticeSettingsBody,
): Promise<Readonly<Record<NoticeKind, NoticeDelivery>>> {
  for (const kind of NOTICE_KINDS) {
    const delivery = settings[kind];
    if (NOTICES[kind].isSecurity === true && (delivery === 'bell' || delivery === 'none'))
      throw createFieldError(
        `/${kind}`,
        'must be mail or both, because mails about the security of your account cannot be turned off',
        'The setting',
      );
  }
  await updateNoticeSettings(deps.db, requireUser(actor).userId, settings);
  return readNoticeSettings(deps, actor);
}
