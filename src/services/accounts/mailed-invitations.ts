// Limits the mails to people who did not ask for them, and the names in these mails, which anyone may choose.
import { cutText } from '../../lib/cut-text.ts';
import type { RateLimiter } from './rate-limits.ts';

/** The most invitations and shares that are mailed for a person in a day. */
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

/** Control characters, ends of lines, and marks that change the direction of text. */
const INVISIBLE = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;
/** What makes programs show a text as a link: a scheme, or a dot in a domain, also of another script. */
const LINK_PARTS = /:\/\/|(?<=[\p{L}\p{N}])[.\u3002\uff0e\uff61](?=[\p{L}\p{N}])/gu;

/** Cuts a name, so that it cannot contain another message, and breaks what programs would show as a link. */
export const shortenName = (name: string): string =>
  cutText(name.replaceAll(INVISIBLE, ' ').trim(), MAX_NAME_CHARS).replaceAll(LINK_PARTS, match =>
    match === '://' ? ' ' : '\u2024',
  );
