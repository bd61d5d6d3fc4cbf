// Defines placeholders for values that are unknown before the run. A forecast compares them by identity and never reads
// their contents.
import type { InputDef } from '../graph/catalog.ts';
import type { MediaRef, Value } from '../graph/types.ts';
import { toNodeInput } from '../graph/values.ts';

/** A single unknown value. */
export const UNKNOWN_VALUE: Value = { type: 'JSON', json: null };
/** A single value, a list of unknown length, or nothing. */
export const UNKNOWN_SHAPE: Value = { type: 'JSON', json: null };
/** A media file that is not stored yet. */
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

/** Returns whether the value and everything in it is known. */
export function isKnown(value: Value): boolean {
  if (value === UNKNOWN_VALUE || value === UNKNOWN_SHAPE) return false;
  if (value.type === 'LIST') return value.items.every(isKnown);
  return !('media' in value) || value.media !== UNKNOWN_MEDIA;
}

/** Returns whether even the number of values is unknown. */
export function hasUnknownShape(value: Value): boolean {
  return value === UNKNOWN_SHAPE || (value.type === 'LIST' && value.items.includes(UNKNOWN_SHAPE));
}

/** Returns the value in the form that a node receives at the port, or undefined if it is unknown or does not fit. */
export function toKnownPlain(value: Value, port: InputDef): unknown {
  if (!isKnown(value)) return undefined;
  try {
    return toNodeInput(value, port);
  } catch {
    return undefined;
  }
}
