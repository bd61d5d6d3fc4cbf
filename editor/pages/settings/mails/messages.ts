// Defines the messages of the list of mails.
import type { Mail } from '../../../../sdk/src/schemas.ts';
import { KINDS } from '../notices/messages.ts';

const OTHER_KINDS: Readonly<Record<string, string>> = {
  invitation: 'Invitation',
  password_reset: 'New password',
};

const STATES: Readonly<Record<Mail['state'], string>> = {
  waiting: 'Waiting',
  sent: 'Sent',
  unconfirmed: 'Unconfirmed',
  failed: 'Failed',
};

export const messages = {
  description:
    'Mails that the service sent in the last 30 days, without their content. A failed mail is not sent again: create a new link or invitation.',
  unconfirmedHint:
    'An unconfirmed mail was handed over to the mail server, but its answer was lost. It may have arrived.',
  notSetUp:
    'No mail server is set up. The service sends no mail, and invitations and passwords work by links. Set SMTP_URL and MAIL_FROM, then restart the service.',
  isSetUp: 'A mail server is set up. Send yourself a test mail to check that mails arrive.',
  test: 'Send test mail',
  testSent: (address: string, result: string): string =>
    `The mail server accepted a mail to ${address}: ${result}`,
  testFailed: (result: string): string => `The test mail was not sent: ${result}`,
  state: 'Status',
  all: 'All',
  states: STATES,
  recipient: 'Recipient',
  about: 'About',
  time: 'Created',
  result: 'Answer',
  attempts: (count: number): string => (count === 1 ? '1 attempt' : `${count} attempts`),
  next: (time: string): string => `next on ${time}`,
  none: 'None yet.',
  emptyTitle: 'No mails yet',
  empty: 'Invitations, links for new passwords and notices appear here once they are mailed.',
  noMatchTitle: 'No matching mails',
  noMatch: 'Choose another status.',
  kindOf: (kind: string): string =>
    OTHER_KINDS[kind] ?? (Object.hasOwn(KINDS, kind) ? KINDS[kind as keyof typeof KINDS].name : kind),
} as const;
