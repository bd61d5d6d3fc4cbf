// Request bodies: JSON only, UTF-8 only, without what the database or an object's prototype would choke on.
import { isUtf8 } from 'node:buffer';
import { AppError } from '../lib/errors.ts';
import type { App } from './app.ts';

/** Makes JSON the one body type; a route that takes another registers its own. */
export function registerBodyParsers(app: App): void {
  const parseJson = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (req, body: Buffer, done) => {
    if (body.length === 0) return done(null, undefined);
    if (!isUtf8(body)) return done(new AppError('invalid_json', 'The body is not UTF-8.'));
    const text = body.toString('utf8');
    return parseJson(req, text, (err, value: unknown) => {
      if (err !== null)
        return done(
          new AppError('invalid_json', `The body is not valid JSON: ${err.message}.`, { cause: err }),
        );
      // Only an escape can bring them in: raw bytes were checked above, and raw control characters are no JSON.
      if (SUSPECT_ESCAPE.test(text) && !isStorable(value)) {
        return done(
          new AppError(
            'invalid_request',
            'The body holds a character that cannot be stored: NUL, or half of a surrogate pair.',
          ),
        );
      }
      return done(null, value);
    });
  });
}

const SUSPECT_ESCAPE = /\\u(?:0000|[dD][89a-fA-F])/;

/** Iterative, since depth is the sender's to choose. */
function isStorable(root: unknown): boolean {
  const stack: unknown[] = [root];
  while (stack.length > 0) {
    const value = stack.pop();
    if (typeof value === 'string') {
      if (!value.isWellFormed() || value.includes('\0')) return false;
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, member] of Object.entries(value)) stack.push(key, member);
    }
  }
  return true;
}
