// Names that people give to keys, teams, folders and accounts.
import { Type } from 'typebox';
import { AppError } from '../../lib/errors.ts';

export const Name = Type.String({ minLength: 1, maxLength: 200 });

// C0, C1, and the marks that turn the direction of text: none can be seen, all can deceive.
const UNSEEN = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

/** The name without the blanks around it. Throws 400 where nothing is left, or where it contains what cannot be seen. */
export function parseName(text: string): string {
  const name = text.trim();
  if (name !== '' && !UNSEEN.test(name)) return name;
  const message = name === '' ? 'must not be blank' : 'must not contain control characters';
  throw new AppError('invalid_request', `The name ${message}.`, {
    issues: [{ path: '/name', code: 'invalid_request', message }],
  });
}
