// Stand-ins for what only a run can make; a forecast recognizes them by identity, and never looks inside.
import type { InputDef } from '../graph/catalog.ts';
import type { MediaRef, Value } from '../graph/types.ts';
import { toPlain } from '../graph/values.ts';

/** One value, whatever it will be. */
export const UNKNOWN_VALUE: Value = { type: 'JSON', json: null };
/** One value, a list of unknown length, or nothing. */
export const UNKNOWN_SHAPE: Value = { type: 'JSON', json: null };
/** A file that is not stored yet. */
export const UNKNOWN_MEDIA: MediaRef = {
  mediaId: '',
  url: '',
  contentType: '',
  sha256: '',
  bytes: 0,
  width: null,
  height: null,
  duration: null,
};

/** Whether the value is there already, with all that is in it. */
export function isKnown(value: Value): boolean {
  if (value === UNKNOWN_VALUE || value === UNKNOWN_SHAPE) return false;
  if (value.type === 'LIST') return value.items.every(isKnown);
  return !('media' in value) || value.media !== UNKNOWN_MEDIA;
}

/** Whether it is not even known how many values there are. */
export function hasUnknownShape(value: Value): boolean {
  return value === UNKNOWN_SHAPE || (value.type === 'LIST' && value.items.includes(UNKNOWN_SHAPE));
}

/** The value as a node takes it at the port; undefined where it is not known, or does not fit. */
export function toKnownPlain(value: Value, port: InputDef): unknown {
  if (!isKnown(value)) return undefined;
  try {
    return toPlain(value, port);
  } catch {
    return undefined;
  }
}
