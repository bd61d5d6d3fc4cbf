// Validates the names of keys, teams, folders and accounts, and the emails of accounts.
import { Type } from 'typebox';
import { AppError, createFieldError } from '../../lib/errors.ts';
import { isUniqueViolation } from '../../store/db.ts';

export const Name = Type.String({ minLength: 1, maxLength: 200 });
export const Email = Type.String({
  minLength: 3,
  maxLength: 254,
  description: 'Not case-sensitive',
});

// C0 and C1 control characters and marks that change the direction of text, which can disguise a name.
const INVISIBLE = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

/** Trims the name. Throws 400 if it is blank or contains invisible characters. */
export function parseName(text: string): string {
  const name = text.trim();
  if (name !== '' && !INVISIBLE.test(name)) return name;
  const message = name === '' ? 'must not be blank' : 'must not contain control characters';
  throw createFieldError('/name', message, 'The name');
}

/** Trims the email. Throws 400 if it is malformed. */
export function parseEmail(text: string): string {
  const email = text.trim();
  if (/^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u.test(email)) return email;
  throw createFieldError('/email', 'must have the form name@host', 'The email');
}

/** Awaits the work. Throws 409 if it failed because another account has the email. */
export async function translateEmailConflict<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (err) {
    if (!isUniqueViolation(err, 'users_email_key')) throw err;
    throw new AppError('conflict', 'An account with this email address already exists.', { cause: err });
  }
}
