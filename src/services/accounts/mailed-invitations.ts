// Limits the mails to people who did not ask for them, and the names in these mails, which anyone may choose.
import { cutText } from '../../lib/cut-text.ts';
import type { RateLimiter } from './rate-limits.ts';

/** The most invitations that are mailed for a person in a day. */
const MAX_MAILS = 50;
const DAY_SECONDS = 86_400;
const MAX_NAME_CHARS = 60;

/** Counts a mail of the person who invites. Returns whether it may be sent. The command line has no limits. */
export async function mayMailInvitation(
  rateLimiter: RateLimiter | undefined,
  inviterId: number,
): Promise<boolean> {
  if (rateLimiter === undefined) return true;
  return (await rateLimiter.consume(`invitation-mails:${inviterId}`, MAX_MAILS, DAY_SECONDS)).isAllowed;
}

/** Cuts a name, so that it cannot contain another message, and breaks what programs would show as a link. */
export const shortenName = (name: string): string =>
  cutText(name, MAX_NAME_CHARS).replaceAll(/:\/\/|(?<=\w)\.(?=\w)/g, match =>
    match === '.' ? '\u2024' : ' ',
  );
