// Names that people give to keys, teams, folders and accounts, and the emails that accounts are known by.
import { Type } from 'typebox';
import { AppError, invalidField } from '../../lib/errors.ts';
import { isUniqueViolation } from '../../store/db.ts';

export const Name = Type.String({ minLength: 1, maxLength: 200 });
export const Email = Type.String({
  minLength: 3,
  maxLength: 254,
  description: 'Upper and lower case are the same',
});

// C0, C1, and the marks that turn the direction of text: none can be seen, all can deceive.
const UNSEEN = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

/** The name without the blanks around it. Throws 400 where nothing is left, or where it contains what cannot be seen. */
export function parseName(text: string): string {
  const name = text.trim();
  if (name !== '' && !UNSEEN.test(name)) return name;
  const message = name === '' ? 'must not be blank' : 'must not contain control characters';
  throw invalidField('/name', message, 'The name');
}

/** The email without the blanks around it. Throws 400 where it has not the form of one. */
export function parseEmail(text: string): string {
  const email = text.trim();
  if (/^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u.test(email)) return email;
  throw invalidField('/email', 'must have the form name@host', 'The email');
}

/** What the work resolves to. Throws 409 where it wrote an email that another account has. */
export async function namingEmailConflict<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (err) {
    if (!isUniqueViolation(err, 'users_email_key')) throw err;
    throw new AppError('conflict', 'An account with this email address already exists.', { cause: err });
  }
}
