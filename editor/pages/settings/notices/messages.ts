// Defines the messages of the settings of notices.
import type { NoticeSettings } from '../../../../sdk/src/schemas.ts';

const BY_MAIL = { mail: 'Mail', both: 'Bell and mail' } as const;

export const messages = {
  description: 'Choose how you learn what happens while you are away.',
  noMail: 'This service sends no mail, so notices are only in the menu of the bell.',
  about: 'About',
  delivery: 'How',
  deliveries: { bell: 'Bell', ...BY_MAIL, none: 'Off' },
  securityDeliveries: BY_MAIL,
  saved: 'Your choice was saved.',
} as const;

interface KindTexts {
  readonly name: string;
  readonly hint: string;
  /** Mails about security cannot be turned off. */
  readonly isSecurity?: true;
}

export const KINDS: Readonly<Record<keyof NoticeSettings, KindTexts>> = {
  schedule_paused: { name: 'Schedules', hint: 'A schedule failed several times and was paused.' },
  trigger_paused: { name: 'Triggers', hint: 'A trigger failed several times and was paused.' },
  app_out_of_order: { name: 'Apps that fail', hint: 'Visitors cannot use one of your apps.' },
  app_limit_reached: { name: 'Limits of apps', hint: 'Visitors used up the daily limit of an app.' },
  credits_low: { name: 'Low credits', hint: 'Less than a tenth of the credits is left.' },
  credit_limit: { name: 'Monthly limits', hint: 'A member or a key has used much of its monthly credits.' },
  approval_waiting: { name: 'Approvals', hint: 'A run waits for your decision.' },
  storage_high: { name: 'Storage', hint: 'Your files use more than four fifths of your storage.' },
  credential_failed: { name: 'Provider keys', hint: 'A provider rejected a key that worked before.' },
  batch_stopped: { name: 'Batches', hint: 'A batch stopped before all of its rows ran.' },
  workflow_shared: { name: 'Shared workflows', hint: 'Somebody shared a workflow with you.' },
  new_browser: {
    name: 'New browsers',
    hint: 'Somebody signed in to your account in another browser.',
    isSecurity: true,
  },
  second_factor_changed: {
    name: 'Second factors',
    hint: 'A second factor was added or removed, or a recovery code was used.',
    isSecurity: true,
  },
  password_changed: { name: 'Password', hint: 'The password of your account was changed.', isSecurity: true },
  email_changed: { name: 'Email address', hint: 'The email of your account was changed.', isSecurity: true },
};
